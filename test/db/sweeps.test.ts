import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { idOfKey, runOnce, type Once } from '../../api/http/idempotency.ts';
import { InvalidRequest } from '../../api/http/problem/problem.ts';
import { transaction, type Db } from '../../db/client.ts';
import { randomIds } from '../../db/ids.ts';
import { addChallenge, takeChallenge } from '../../db/queries/challenges.ts';
import { addProofChallenge } from '../../db/queries/evidence.ts';
import { addMemberMail } from '../../db/queries/member-mails.ts';
import { addPlatformFlow } from '../../db/queries/platform-accounts.ts';
import { spendToken } from '../../db/queries/spent-tokens.ts';
import { createSealer } from '../../db/sealing/sealed.ts';
import { masterWrapper } from '../../db/sealing/wrapper.ts';
import {
  endedPlatformFlows,
  oldMemberMails,
} from '../../workers/outboxes/sweeps/expired-records.ts';
import { Failure } from '../../workflows/failures.ts';
import { createDatabase } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const now = new Date('2026-01-02T03:04:05Z');
const ago = new Date(now.getTime() - 1000);
const later = new Date(now.getTime() + 60_000);
let db: Db;
let drop: () => Promise<void>;
/** The names of the statements that were sent to the database. */
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

describe('spendToken', () => {
  beforeEach(async () => {
    await db.query(`TRUNCATE spent_tokens`);
    await db.query(
      `INSERT INTO spent_tokens SELECT 'old ' || n, $1::timestamptz FROM generate_series(1, 30) n`,
      [ago],
    );
  });

  it('removes up to twenty expired tokens in the same statement', async () => {
    const spend = () => spendToken(db, 'new', later, now);
    expect(await askedBy(spend)).toEqual(['spent_tokens.spend']);
    expect(await left('spent_tokens')).toBe(11);
    expect(await spend()).toBe(false);
    expect(await left('spent_tokens')).toBe(1);
  });

  it('refuses a token that was spent before, also after it expired', async () => {
    expect(await spendToken(db, 'old 7', later, now)).toBe(false);
  });

  it('accepts a token once when many spend it at the same time', async () => {
    const spenders = Array.from({ length: 50 }, () => spendToken(db, 'raced', later, now));
    expect((await Promise.all(spenders)).filter(Boolean)).toHaveLength(1);
    expect(await left('spent_tokens')).toBe(1);
  });
});

it('addChallenge removes up to twenty expired challenges in the same statement', async () => {
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

it('addProofChallenge removes up to twenty challenges that can no longer be repeated', async () => {
  // These rows have no session.
  await db.query('ALTER TABLE proof_challenges DISABLE TRIGGER ALL');
  const ended = new Date(later.getTime() - 3 * 24 * 3600_000);
  const row = (id: string, expires_at: Date) => ({
    challenge_id: id,
    link_session_id: 'tc_swept',
    proof: 'nfc_passport' as const,
    challenge: randomBytes(8),
    secret_version: 1,
    expires_at,
  });
  await addProofChallenge(db, row('repeated', ago));
  for (let count = 0; count < 30; count += 1) await addProofChallenge(db, row(`${count}`, ended));
  const keep = () => addProofChallenge(db, row('new', later));
  expect(await askedBy(keep)).toEqual(['proof_challenges.insert']);
  expect(await left('proof_challenges')).toBe(12);
  const ids = await db.query(`SELECT 1 FROM proof_challenges WHERE challenge_id = 'repeated'`);
  expect(ids.rowCount).toBe(1);
});

describe('an idempotency key', () => {
  const secret = randomBytes(32);
  const scope = {
    scope: ['caller', 1],
    operation: 'links.create',
    key: 'key',
    fingerprint: createHash('sha256').update('body').digest(),
  };
  const own = idOfKey(scope);
  /** Work that needs no authorization. */
  const work = (run: Once['run']): Once => ({ run, asked: new Set(), authorize: () => undefined });
  const addOld = (key: Buffer) =>
    db.query(
      `INSERT INTO idempotency_keys (id, fingerprint, state, seed, locked_until, expires_at, run)
       VALUES ($1, $1, 'running', 'old', $2, $2, 'old')`,
      [key, ago],
    );

  it('removes up to twenty expired keys, and can be claimed again after it expired', async () => {
    for (let count = 0; count < 30; count += 1) await addOld(randomBytes(32));
    await addOld(own);
    const sealer = createSealer(db, masterWrapper(secret), secret);
    const deps = { db, sealer, ids: randomIds, clock: () => now };
    await sealer.seal('idempotency', 'made before it is counted', '');
    const seeds: string[] = [];
    const run = () =>
      runOnce(
        deps,
        scope,
        work(async (seed) => {
          seeds.push(seed);
          return { status: 200, body: {} };
        }),
      );
    expect(await askedBy(run)).toEqual(['idempotency.claim', 'idempotency.finish']);
    expect(seeds).not.toEqual(['old']);
    expect(await left('idempotency_keys')).toBe(11);
    expect((await run()).headers).toMatchObject({ 'Idempotent-Replayed': 'true' });
    expect(seeds).toHaveLength(1);
  });

  it('is released at once when its run fails, even while its lock is being renewed', async () => {
    const sealer = createSealer(db, masterWrapper(secret), secret);
    const deps = { db: slowly(db), sealer, ids: randomIds, clock: () => new Date() };
    const again = { ...scope, key: 'renewed' };
    const fail = async (): Promise<never> => {
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      throw new Error('away');
    };
    await expect(runOnce(deps, again, work(fail))).rejects.toThrow('away');
    const well = work(async () => ({ status: 200, body: {} }));
    expect((await runOnce(deps, again, well)).status).toBe(200);
  });

  it('accepts another body after a refusal, but not after a failure', async () => {
    const sealer = createSealer(db, masterWrapper(secret), secret);
    const deps = { db, sealer, ids: randomIds, clock: () => new Date() };
    const other = Buffer.from('mended');
    const seeds: string[] = [];
    const run = (key: string, error: Error | null, fingerprint = scope.fingerprint) => {
      const once = work(async (seed) => {
        seeds.push(seed);
        if (error) throw error;
        return { status: 200, body: {} };
      });
      return runOnce(deps, { ...scope, key, fingerprint }, once);
    };
    const faults = [new Error('away'), new Failure('dependency_unavailable')];
    for (const fault of faults) await expect(run('failed', fault)).rejects.toBe(fault);
    const mismatch = { code: 'idempotency_mismatch' };
    await expect(run('failed', null, other)).rejects.toMatchObject(mismatch);
    const refusals = [new Failure('evidence_limit'), new InvalidRequest([])];
    for (const refusal of refusals) await expect(run('refused', refusal)).rejects.toBe(refusal);
    // The same request continues with its seed; another request starts anew and holds the key.
    expect((await run('refused', null, other)).status).toBe(200);
    expect(seeds.map((seed) => seeds.indexOf(seed))).toEqual([0, 0, 2, 2, 4]);
    await expect(run('refused', null)).rejects.toMatchObject(mismatch);
  });
});

/** The same database, except that the first renewal of a lock takes half a second. */
function slowly(on: Db): Db {
  let isFirst = true;
  const query = async (...given: unknown[]): Promise<unknown> => {
    if (isFirst && Object(given[0]).name === 'idempotency.lock_until') {
      isFirst = false;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    return (on.query as (...args: unknown[]) => unknown)(...given);
  };
  return new Proxy(on, {
    get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)),
  });
}

it('addPlatformFlow removes up to twenty expired flows in the same statement', async () => {
  await db.query('ALTER TABLE platform_flows DISABLE TRIGGER ALL');
  const row = (state_hash: Buffer, at: Date) => ({
    state_hash,
    flow_id: 'pf_swept',
    platform: 'conf-b',
    account_id: 1,
    begun_by: 'tk_test_swept',
    external_id: null,
    secrets_sealed: null,
    created_at: at,
    expires_at: at,
  });
  const twoDaysAgo = new Date(now.getTime() - 48 * 3600_000);
  for (let place = 0; place < 30; place += 1) {
    await addPlatformFlow(db, row(randomBytes(32), twoDaysAgo));
  }
  const keep = () => addPlatformFlow(db, row(randomBytes(32), now));
  expect(await askedBy(keep)).toEqual(['platform_flows.insert']);
  expect(await left('platform_flows')).toBe(11);
});

const dayMs = 24 * 3600_000;
/** Adds mails of invitations of this age, in the state that `changes` sets. */
const addMails = (name: string, ageMs: number, changes: string, count = 1) =>
  db.query(
    `INSERT INTO member_mails (mail_id, account_id, poly_user_id, email_blind, created_at,
       awaits_start, address_sealed, admitted_at, mailed_at)
     SELECT $1 || ' ' || n, 1, 'pu_swept', $1::bytea, $2::timestamptz, ${changes}
     FROM generate_series(1, $3::int) n`,
    [name, new Date(now.getTime() - ageMs), count],
  );
const leftMails = async () =>
  (await db.query<{ mail_id: string }>('SELECT mail_id FROM member_mails ORDER BY 1')).rows.map(
    ({ mail_id: id }) => id,
  );

describe('the mail of an invitation', () => {
  beforeAll(() => db.query('ALTER TABLE member_mails DISABLE TRIGGER ALL'));
  beforeEach(() => db.query('TRUNCATE member_mails'));
  const add = (blind: string) =>
    transaction(db, (tx) =>
      addMemberMail(tx, {
        mail_id: `new ${blind}`,
        account_id: 1,
        poly_user_id: 'pu_swept',
        email_blind: Buffer.from(blind),
        address_sealed: Buffer.from('sealed'),
        locale: null,
        return_to: null,
        created_at: now,
      }),
    );

  it('removes up to twenty mails of other days when added, and exists once per address and day', async () => {
    await addMails('old', 2 * dayMs, 'false, NULL, NULL, NULL', 30);
    await addMails('today', 60_000, 'false, NULL, $2, $2');
    await add('today');
    expect(await left('member_mails')).toBe(11);
    await add('old');
    expect(await leftMails()).toEqual(['new old', 'today 1']);
  });

  it('is kept until it is sent and no longer counts, and is then removed by the sweep', async () => {
    await addMails('waits since long', 40 * dayMs, `true, 'x', NULL, NULL`);
    await addMails('has just begun', 2 * dayMs, `false, 'x', NULL, NULL`);
    await addMails('on its way', 2 * dayMs, `false, 'x', $2::timestamptz + interval '47h', NULL`);
    await addMails('sent late', 2 * dayMs, `false, NULL, $2, $2::timestamptz + interval '25h'`);
    const kept = await leftMails();
    expect(kept).toHaveLength(4);
    await addMails('sent', 2 * dayMs, 'false, NULL, $2, $2');
    await addMails('failed', 2 * dayMs, 'false, NULL, NULL, NULL');
    await addMails('lost', 2 * dayMs, `false, 'x', $2, NULL`);
    await addMails('never begun', 31 * dayMs, `false, 'x', NULL, NULL`);
    await addMails('many', 2 * dayMs, 'false, NULL, $2, $2', 2_000);
    await oldMemberMails({ db, clock: () => now }).drain(new AbortController().signal);
    expect(await leftMails()).toEqual(kept);
  });
});

it('the sweep removes the secrets of a consent a day after it expired', async () => {
  await db.query('TRUNCATE platform_flows');
  await db.query(
    `INSERT INTO platform_flows (state_hash, flow_id, platform, account_id, begun_by,
       secrets_sealed, created_at, expires_at)
     SELECT sha256(n::text::bytea), 'pf ' || n, 'conf-b', 1, 'tk_test_swept', 'x', at, at
     FROM generate_series(1, 30) n,
       LATERAL (SELECT $1::timestamptz - n * interval '1 hour' AS at) t`,
    [now],
  );
  await endedPlatformFlows({ db, clock: () => now }).drain(new AbortController().signal);
  expect(await left('platform_flows')).toBe(24);
});
