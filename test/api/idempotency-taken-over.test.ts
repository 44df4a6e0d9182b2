import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { idOfKey, runOnce, type Once } from '../../api/idempotency.ts';
import type { Db } from '../../db/client.ts';
import { randomIds } from '../../db/ids.ts';
import { createSealer } from '../../db/sealed.ts';
import { masterWrapper } from '../../db/wrapper.ts';
import { Failure } from '../../workflows/failures.ts';
import { openTestDb } from '../harness.ts';
import { ownPlatform } from '../own-platform.ts';

let db: Db;
beforeAll(() => {
  db = openTestDb(ownPlatform().databaseUrl);
});
afterAll(() => db.end());

it('a run that was taken over frees no key that another holds', async () => {
  const secret = randomBytes(32);
  const name = { scope: ['taken-over'], operation: 'links.create', key: randomUUID() };
  const isHeldAt = async (at: Date): Promise<boolean> => {
    const held = 'SELECT 1 FROM idempotency_keys WHERE id = $1 AND locked_until > $2';
    return (await db.query(held, [idOfKey(name), at])).rowCount === 1;
  };
  const run = (fingerprint: string, aheadMs: number, end: Promise<never>) => {
    const once: Once = { run: () => end, asked: new Set(), authorize: () => undefined };
    const clock = (): Date => new Date(Date.now() + aheadMs);
    const sealer = createSealer(db, masterWrapper(secret), secret);
    const deps = { db, sealer, ids: randomIds, clock };
    return runOnce(deps, { ...name, fingerprint: Buffer.from(fingerprint) }, once);
  };
  const refusal = new Failure('evidence_limit');
  const gate = (): { end: Promise<never>; refuse: () => void } => {
    const { promise: end, reject } = Promise.withResolvers<never>();
    end.catch(() => undefined);
    return { end, refuse: () => reject(refusal) };
  };
  const [stalled, taking, other] = [gate(), gate(), gate()];
  other.refuse();
  const first = run('one', -10_000, stalled.end).catch((error: unknown) => error);
  await expect.poll(() => isHeldAt(new Date(0))).toBe(true);
  const second = run('one', 0, taking.end).catch((error: unknown) => error);
  await expect.poll(() => isHeldAt(new Date())).toBe(true);
  stalled.refuse();
  expect(await first).toBe(refusal);
  await expect(run('two', 0, other.end)).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  taking.refuse();
  expect(await second).toBe(refusal);
  await expect(run('two', 0, other.end)).rejects.toBe(refusal);
});
