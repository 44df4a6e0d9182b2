import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runOnce } from '../../api/idempotency.ts';
import type { Db } from '../../db/client.ts';
import { randomIds } from '../../db/ids.ts';
import { addChallenge, takeChallenge } from '../../db/queries/challenges.ts';
import { spendToken } from '../../db/queries/spent-tokens.ts';
import { createSealer } from '../../db/sealed.ts';
import { createDatabase } from '../harness.ts';
import { ownPlatform } from '../own-platform.ts';

const now = new Date('2026-01-02T03:04:05Z');
const ago = new Date(now.getTime() - 1000);
const later = new Date(now.getTime() + 60_000);
let db: Db;
let drop: () => Promise<void>;
/** What was asked of the database, by the name of the statement. */
const asked: unknown[] = [];

beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  const query = db.query.bind(db) as (...given: unknown[]) => unknown;
  const counted = (...given: unknown[]): unknown => {
    asked.push(Object(given[0]).name ?? 'unnamed');
    return query(...given);
  };
  Object.assign(db, { query: counted });
});
afterAll(() => drop());

const askedBy = async (work: () => Promise<unknown>): Promise<unknown[]> => {
  asked.length = 0;
  await work();
  return [...asked];
};
const left = async (table: string): Promise<number> => {
  const { rows } = await db.query<{ left: number }>(`SELECT count(*) AS left FROM ${table}`);
  return rows[0]?.left ?? -1;
};

describe('a token that is spent', () => {
  beforeEach(async () => {
    await db.query(`TRUNCATE spent_tokens`);
    await db.query(
      `INSERT INTO spent_tokens SELECT 'old ' || n, $1::timestamptz FROM generate_series(1, 30) n`,
      [ago],
    );
  });

  it('takes twenty that have ended with it, in one statement', async () => {
    const spend = () => spendToken(db, 'new', later, now);
    expect(await askedBy(spend)).toEqual(['spent_tokens.spend']);
    expect(await left('spent_tokens')).toBe(11);
    expect(await spend()).toBe(false);
    expect(await left('spent_tokens')).toBe(1);
  });

  it('is not first again because its own end has come', async () => {
    expect(await spendToken(db, 'old 7', later, now)).toBe(false);
  });

  it('is first once, whoever sweeps', async () => {
    const spenders = Array.from({ length: 50 }, () => spendToken(db, 'raced', later, now));
    expect((await Promise.all(spenders)).filter(Boolean)).toHaveLength(1);
    expect(await left('spent_tokens')).toBe(1);
  });
});

it('a challenge takes twenty that nobody used with it, in one statement', async () => {
  await db.query(
    `INSERT INTO challenges
     SELECT sha256(n::text::bytea), 'enroll', $1::timestamptz FROM generate_series(1, 30) n`,
    [ago],
  );
  const hash = randomBytes(32);
  const keep = () => addChallenge(db, { hash, purpose: 'enroll', expiresAt: later, now });
  expect(await askedBy(keep)).toEqual(['challenges.insert']);
  expect(await left('challenges')).toBe(11);
  expect(await takeChallenge(db, hash, 'enroll', now)).toBe(true);
});

describe('a key of a request', () => {
  const secret = randomBytes(32);
  const scope = {
    scope: 'caller',
    operation: 'links.create',
    key: 'key',
    fingerprint: createHash('sha256').update('body').digest(),
  };
  const id = createHash('sha256').update(JSON.stringify(['caller', 'links.create', 'key']));
  const own = id.digest();
  const addOld = (key: Buffer) =>
    db.query(
      `INSERT INTO idempotency_keys (id, fingerprint, state, seed, locked_until, expires_at)
       VALUES ($1, $1, 'running', 'old', $2, $2)`,
      [key, ago],
    );

  it('takes those that have ended with it, and is taken up again when it is one', async () => {
    for (let count = 0; count < 30; count += 1) await addOld(randomBytes(32));
    await addOld(own);
    const sealer = createSealer(db, secret, secret);
    const deps = { db, sealer, ids: randomIds, clock: () => now };
    await sealer.seal('idempotency', 'made before it is counted', '');
    const seeds: string[] = [];
    const run = () =>
      runOnce(deps, scope, async (seed) => {
        seeds.push(seed);
        return { status: 200, body: {} };
      });
    expect(await askedBy(run)).toEqual(['idempotency.claim', 'idempotency.finish']);
    expect(seeds).not.toEqual(['old']);
    expect(await left('idempotency_keys')).toBe(11);
    expect((await run()).headers).toMatchObject({ 'Idempotent-Replayed': 'true' });
    expect(seeds).toHaveLength(1);
  });
});
