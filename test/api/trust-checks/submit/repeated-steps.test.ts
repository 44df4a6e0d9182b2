import { expect, it } from 'vitest';
import { beginSession, newLink, type Answer } from '../../../support/http/client.ts';

const outcome = ({ status, body, headers }: Answer): unknown[] => [
  status,
  body['code'] ?? body['status'],
  headers.get('idempotent-replayed'),
];
const mismatch = [409, 'idempotency_mismatch', null];
const consent = { accepted: true, tos_version: '1', claims: [] };

it('open, pair and consent replay their answer for the same key, even after the end', async () => {
  const session = await beginSession(await newLink());
  const steps = [
    ['open', {}, 'opened', { seen: true }, [400, 'body_unexpected', null]],
    ['pair', {}, 'paired', { seen: true }, [400, 'body_unexpected', null]],
    ['consent', consent, 'collecting', { ...consent, accepted: false }, mismatch],
  ] as const;
  const key = { 'idempotency-key': 'one' };
  for (const [name, body, status] of steps) {
    expect(outcome(await session.step(name, body, key))).toEqual([200, status, null]);
  }
  await session.lead('cancel');
  for (const [name, body, status, other, expected] of steps) {
    expect(outcome(await session.step(name, body, key))).toEqual([200, status, 'true']);
    const refused = outcome(await session.step(name, other, key));
    expect(refused).toEqual(expected);
    const bad = await session.step(name, body, { 'idempotency-key': ' ' });
    expect(bad.status).toBe(422);
  }
  expect((await session.get()).body['status']).toBe('canceled');
});
