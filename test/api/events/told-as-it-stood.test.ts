import { expect, it } from 'vitest';
import { call, passedSession, withAffidavit } from '../../client.ts';
import { ownPlatform } from '../../own-platform.ts';

const { own } = ownPlatform();

interface Told {
  readonly type: string;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}

it('steps that are written at once are told each as the check stood then', async () => {
  const session = await passedSession();
  await withAffidavit(session);
  const { body } = await call('GET', `/v2/trust-checks/${session.id}/events`, {
    token: own.api_key,
  });
  const told = (body['items'] as Told[])
    .slice(-4)
    .map(({ type, data: { object } }) => [
      type,
      object['sequence'],
      object['status'],
      object['submitted_at'] !== null,
      object['decided_at'] !== null,
      Object(object['affidavit']).status,
    ]);
  expect(told).toEqual([
    ['proof.updated', 4, 'collecting', false, false, 'none'],
    ['trust_check.processing', 5, 'processing', true, false, 'none'],
    ['trust_check.passed', 6, 'passed', true, true, 'pending'],
    ['affidavit.available', 6, 'passed', true, true, 'available'],
  ]);
});
