import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { idOfKey, runOnce, type Once } from '../../../api/http/idempotency.ts';
import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { createSealer } from '../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../db/sealing/wrapper.ts';
import { Failure } from '../../../workflows/failures.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

let db: Db;
beforeAll(() => {
  db = openTestDb(ownPlatform().databaseUrl);
});
afterAll(() => db.end());

const secret = randomBytes(32);
type Name = Parameters<typeof idOfKey>[0];
const newName = (): Name => ({
  scope: ['taken-over'],
  operation: 'links.create',
  key: randomUUID(),
});

async function isHeldAt(name: Name, at: Date): Promise<boolean> {
  const held = 'SELECT 1 FROM idempotency_keys WHERE id = $1 AND locked_until > $2';
  return (await db.query(held, [idOfKey(name), at])).rowCount === 1;
}

function run(name: Name, fingerprint: string, aheadMs: number, end: Promise<never>) {
  const once: Once = { run: () => end, asked: new Set(), authorize: () => undefined };
  const clock = (): Date => new Date(Date.now() + aheadMs);
  const sealer = createSealer(db, masterWrapper(secret), secret);
  const deps = { db, sealer, ids: randomIds, clock };
  return runOnce(deps, { ...name, fingerprint: Buffer.from(fingerprint) }, once);
}

const refusal = new Failure('evidence_limit');
const gate = (): { end: Promise<never>; refuse: () => void } => {
  const { promise: end, reject } = Promise.withResolvers<never>();
  end.catch(() => undefined);
  return { end, refuse: () => reject(refusal) };
};

it('a stalled run does not release the key that another run has taken over', async () => {
  const name = newName();
  const [stalled, taking, other] = [gate(), gate(), gate()];
  other.refuse();
  const first = run(name, 'one', -10_000, stalled.end).catch((error: unknown) => error);
  await expect.poll(() => isHeldAt(name, new Date(0))).toBe(true);
  const second = run(name, 'one', 0, taking.end).catch((error: unknown) => error);
  await expect.poll(() => isHeldAt(name, new Date())).toBe(true);
  stalled.refuse();
  expect(await first).toBe(refusal);
  await expect(run(name, 'two', 0, other.end)).rejects.toMatchObject({
    code: 'idempotency_mismatch',
  });
  taking.refuse();
  expect(await second).toBe(refusal);
  await expect(run(name, 'two', 0, other.end)).rejects.toBe(refusal);
});

it('a run keeps renewing its lock after the answer to a renewal was lost', async () => {
  const name = newName();
  const lasting = gate();
  const running = run(name, 'one', 0, lasting.end).catch((error: unknown) => error);
  await expect.poll(() => isHeldAt(name, new Date())).toBe(true);
  // Simulates that renewal: a lock time unknown to the run.
  const unheard = new Date(Date.now() + 100);
  const set = 'UPDATE idempotency_keys SET locked_until = $2 WHERE id = $1';
  await db.query(set, [idOfKey(name), unheard]);
  await expect.poll(() => isHeldAt(name, unheard), { timeout: 20_000 }).toBe(true);
  lasting.refuse();
  expect(await running).toBe(refusal);
});
