import { expect, it } from 'vitest';
import {
  call,
  codeFor,
  collecting,
  newLink,
  newNumber,
  passedSession,
  withAffidavit,
} from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own } = ownPlatform();

interface Told {
  readonly type: string;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}

it('events written at the same time each show the state of the check at their step', async () => {
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

it('results found at the decision do not appear in earlier events', async () => {
  const matching_params = { phone_number: '+4915100000000' };
  const session = await collecting(await newLink({ matching_params }));
  const number = newNumber();
  await session.step('phone/code', { phone_number: number });
  await session.step('proofs/phone', { code: await codeFor(number) });
  const { body } = await call('GET', `/v2/trust-checks/${session.id}/events`, {
    token: own.api_key,
  });
  const told = (body['items'] as Told[])
    .slice(-3)
    .map(({ type, data: { object } }) => [type, object['matching'], object['reason_code']]);
  expect(told).toEqual([
    ['proof.updated', {}, null],
    ['trust_check.processing', {}, null],
    ['trust_check.failed', { phone_number: 'mismatch' }, 'mismatch'],
  ]);
});
