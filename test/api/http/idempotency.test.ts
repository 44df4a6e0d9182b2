import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idOfKey } from '../../../api/http/idempotency.ts';
import type { Db } from '../../../db/client.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { contracts } from '../../support/http/routes.ts';
import { samples, type Sample } from '../../support/people/samples.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, databaseUrl } = ownPlatform();
let db: Db;
beforeAll(() => {
  db = openTestDb(databaseUrl);
});
afterAll(() => db.end());

let lastKey = 0;
const newKey = (): string => `key-${process.pid}-${(lastKey += 1)}-${Math.random()}`;
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
// Lenient handling accepts the unknown fields in which another body differs.
const send = (method: string, sample: Sample, key: string, body = sample.body): Promise<Answer> =>
  call(method.toUpperCase(), sample.path, {
    token: sample.token,
    body,
    headers: { 'idempotency-key': key, prefer: 'handling=lenient' },
  });

/** Inserts a run that has begun and not ended, as another process leaves it. */
async function begin(operation: string, { path, token, body }: Sample, key: string): Promise<void> {
  const name = token.startsWith('tk_') ? token.slice(0, token.lastIndexOf('_')) : '';
  const id = idOfKey({ scope: [name, own.account_id], operation, key });
  const fingerprint = createHash('sha256').update(`${path}\n${JSON.stringify(body)}`);
  const soon = new Date(Date.now() + 30_000);
  await db.query(
    `INSERT INTO idempotency_keys (id, fingerprint, state, seed, locked_until, expires_at, run)
     VALUES ($1, $2, 'running', 'seed', $3, $3, 'another')
     ON CONFLICT (id) DO UPDATE SET fingerprint = $2, locked_until = $3`,
    [id, fingerprint.digest(), soon],
  );
}

const idempotent = contracts
  .filter(({ id, idempotent: isHonoured }) => isHonoured && id in samples)
  .map((contract) => ({ id: contract.id, contract }));

describe.each(idempotent)('$id', ({ id, contract }) => {
  it('refuses a reused key with another body, and a malformed key', async () => {
    const sample = await samples[id]?.();
    if (!sample) throw new Error(`no sample for ${id}`);
    const key = newKey();
    const first = await send(contract.method, sample, key);
    // A refused call stores nothing, so its key is free. Runs of phones are not simulated here.
    if (first.status >= 400) await begin(id, sample, key);
    const other = { ...(sample.body as object), title: 'another', extra: 1 };
    const again = await send(contract.method, sample, key, other);
    const isFree = first.status >= 400 && !sample.token.startsWith('tk_');
    if (isFree) expect(again.body['code']).not.toBe('idempotency_mismatch');
    else expect(outcome(again)).toEqual([409, 'idempotency_mismatch']);
    const wrong = await send(contract.method, sample, 'x'.repeat(256));
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('idempotency_key_invalid');
  });

  it('returns 409 with Retry-After while the first request is running', async () => {
    const sample = await samples[id]?.();
    if (!sample?.token.startsWith('tk_')) return;
    const key = newKey();
    await begin(id, sample, key);
    const refused = await send(contract.method, sample, key);
    expect(outcome(refused)).toEqual([409, 'idempotency_in_progress']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

it('operations without a test here are those with tests of their own', () => {
  const left = contracts.flatMap(({ id, idempotent: isHonoured }) =>
    isHonoured && !(id in samples) ? [id] : [],
  );
  expect(left.sort()).toEqual([
    // Callers without a credential, and phones: idempotency-callers, begin, complete, enroll.
    'devices.challenge',
    'devices.enroll',
    'devices.renew',
    'links.complete',
    'links.completeById',
    'links.ticket',
    'links.ticketOfLink',
    'session.createInvite',
    'session.join',
    'trust-checks.begin',
  ]);
  expect(own.api_key.startsWith('tk_')).toBe(true);
});
