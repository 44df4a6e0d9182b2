import { mkdtempSync, rmSync } from 'node:fs';
import { chmod, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { loadKeys, type PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import type { RetiredKey } from '../../../activities/keys/directory/load-retired.ts';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import { readNewest } from '../../../activities/transparency/audit/checkpoint-store.ts';
import {
  checkpointKeys,
  keepCheckpoint,
} from '../../../activities/transparency/audit/keep-checkpoint.ts';
import { walkChains } from '../../../cli/verify/verify-audit.ts';
import { transaction, type Db, type Queryable, type Tx } from '../../../db/client.ts';
import { findAuditHead, listMovedHeads } from '../../../db/queries/audit.ts';
import { addAccount } from '../../../db/queries/seeding.ts';
import { signCheckpoint } from '../../../domain/transparency/audit-checkpoint.ts';
import { auditCheckpoints } from '../../../workers/outboxes/sweeps/audit-checkpoints.ts';
import { seeded } from '../../support/fixtures/seeded.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { append, forge, rowsOf, type Row } from './chain.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-checkpoints-'));
const clock = (): Date => new Date('2026-11-22T10:00:00Z');
const baseUrl = 'https://trust.example.test';
const store = createDiskStore({ directory, baseUrl, secret: () => Buffer.alloc(32), clock });
let db: Db;
let drop: () => Promise<void>;
let keys: PlatformKeys;

beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  await createDevPki(join(directory, 'keys'), { now: clock(), baseUrl });
  keys = loadKeys(join(directory, 'keys'));
});
afterAll(async () => {
  await drop();
  rmSync(directory, { recursive: true, force: true });
});

async function newChain(rows: number): Promise<number> {
  const [account] = await addAccount(db, ['audited', false, clock()]);
  const id = account?.account_id ?? 0;
  await append(db, id, rows);
  return id;
}
const keep = async (account: number): Promise<boolean> => {
  const head = await findAuditHead(db, account);
  return head ? keepCheckpoint({ db, store, keys, clock }, head) : false;
};
const source = () => ({ store, keys: checkpointKeys(keys) });
async function lineOf(account: number, on: Queryable = db, from = source()): Promise<string> {
  const { lines, isWhole } = await walkChains(on, [account], from);
  const line = lines[0]?.replace(`account ${account}: `, '') ?? '';
  // The text and the exit code agree.
  expect(isWhole).toBe(/^\d+ rows? holds?, /.test(line));
  return line;
}
const found = (account: number) =>
  readNewest(store, { accountId: account, noted: 0 }, checkpointKeys(keys), 100);

/** Runs work in a transaction that is rolled back. */
async function undone<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  let result: T | undefined;
  const end = new Error('undone');
  await transaction(db, async (tx) => {
    result = await work(tx);
    throw end;
  }).catch((error: unknown) => {
    if (error !== end) throw error;
  });
  return result as T;
}

describe('checkpoints of an audit log', () => {
  it('are stored once for each moved log, with consecutive numbers', async () => {
    const account = await newChain(3);
    expect(await lineOf(account)).toMatch(/^3 rows hold, the last one is [0-9a-f]{64}, no check/);
    expect(await keep(account)).toBe(true);
    expect(await lineOf(account)).toMatch(/^3 rows hold, .*, checked to row 3$/);
    expect(
      (await listMovedHeads(db, { after: account - 1, limit: 1 })).map((head) => head.account_id),
    ).not.toContain(account);
    expect(await keep(account)).toBe(true);
    await append(db, account, 2);
    expect(await lineOf(account)).toContain(', checked to row 3');
    expect(await keep(account)).toBe(true);
    expect(
      (await found(account)).map(({ number, checkpoint }) => [number, checkpoint?.seq]),
    ).toEqual([
      [1, 3],
      [2, 5],
    ]);
    expect((await found(account))[0]?.checkpoint?.at).toEqual(clock());
  });

  it('are stored by the sweep of a worker, which logs an error for a broken log', async () => {
    const accounts = [await newChain(2), await newChain(2), await newChain(2)];
    const [cut = 0, ...others] = accounts;
    await keep(cut);
    await transaction(db, async (tx) => forge(tx, cut, (await rowsOf(tx, cut)).slice(0, 1), 1));
    await append(db, cut, 2);
    const told: unknown[] = [];
    const log = { error: (...said: unknown[]) => void told.push(said) };
    await auditCheckpoints({ db, clock, kept: { keys, store }, log }).drain(
      AbortSignal.timeout(60_000),
    );
    for (const account of others) expect(await lineOf(account)).toContain(', checked to row 2');
    expect(told).toContainEqual([
      { account_id: cut, seq: 3 },
      'an audit log does not go on from its checkpoint',
    ]);
    // Rows added after the cut are not signed, because a checkpoint would hide the cut.
    expect((await found(cut)).map(({ checkpoint }) => checkpoint?.seq)).toEqual([2]);
    expect(await lineOf(cut)).toBe('broken at row 2, which is not the one that a checkpoint has');
  });

  it('are stored once by concurrent workers, and found whatever number is noted', async () => {
    const account = await newChain(1);
    for (let round = 1; round <= 11; round += 1) {
      expect(await Promise.all(Array.from({ length: 4 }, () => keep(account)))).not.toContain(
        false,
      );
      await append(db, account, 1);
    }
    const seqs = (await found(account)).map(({ checkpoint }) => checkpoint?.seq);
    expect(seqs).toEqual(Array.from({ length: 11 }, (_, place) => place + 1));
    for (const noted of [0, 3, 10, 11, 12, 1000]) {
      const asked = { accountId: account, noted };
      const newest = await readNewest(store, asked, checkpointKeys(keys), 2);
      expect(newest.map(({ number }) => number)).toEqual([10, 11]);
    }
    // A number that was set back overwrites no checkpoint.
    await db.query('UPDATE audit_heads SET checkpoints = 2 WHERE account_id = $1', [account]);
    expect(await keep(account)).toBe(true);
    expect((await found(account)).at(-1)?.checkpoint).toMatchObject({ number: 12, seq: 12 });
  });
});

const kinds = ['change', 'delete', 'insert', 'reorder', 'truncate'] as const;

/** Returns changed rows, and the number of unchanged rows at their start. */
function mutate(
  kind: (typeof kinds)[number],
  rows: readonly Row[],
  random: () => number,
): readonly [Row[], number] {
  const pick = (most: number): number => Math.floor(random() * most);
  const made = [...rows];
  const at = pick(rows.length);
  const row = rows[at] as Row;
  if (kind === 'truncate') return [made.slice(0, at), at];
  if (kind === 'delete') made.splice(at, 1);
  if (kind === 'insert') made.splice(at, 0, { ...row, actor: 'nobody' });
  if (kind === 'change') {
    const others = [{ actor: 'nobody' }, { object_id: 'x' }, { details: {} }, { action: 'x' }];
    const later = { created_at: new Date(row.created_at.getTime() + 1) };
    made[at] = { ...row, ...([...others, later][pick(5)] as Partial<Row>) };
  }
  if (kind === 'reorder') {
    const to = (at + 1 + pick(rows.length - 1)) % rows.length;
    [made[at], made[to]] = [rows[to] as Row, row];
    return [made, Math.min(at, to)];
  }
  return [made, at];
}

describe('audit verify', () => {
  it.each(kinds)('detects a %s in 200 of 200 logs with a recomputed head', async (kind) => {
    const random = seeded(kinds.indexOf(kind) + 1);
    const account = await newChain(9);
    await keep(account);
    const rows = await undone((tx) => rowsOf(tx, account));
    const lines: string[] = [];
    for (let round = 0; round < 200; round += 1) {
      const [made, same] = mutate(kind, rows, random);
      const line = await undone(async (tx) => {
        await forge(tx, account, made, same);
        // Without the checkpoint, the change is invisible.
        if (round === 0) expect(await lineOf(account, tx, silent)).toContain(' hold, ');
        return lineOf(account, tx);
      });
      lines.push(line);
    }
    const short = kind === 'truncate' || kind === 'delete';
    const told = short
      ? /^broken at row \d+, which is missing: a checkpoint has it, or one after it$/
      : /^broken at row 9, which is not the one that a checkpoint has$/;
    expect(lines.filter((line) => !told.test(line))).toEqual([]);
    expect(await lineOf(account)).toContain('9 rows hold');
  });

  it('reports a log that was deleted entirely', async () => {
    const account = await newChain(2);
    await keep(account);
    const line = await undone(async (tx) => {
      await forge(tx, account, [], 0);
      await tx.query('DELETE FROM audit_heads WHERE account_id = $1', [account]);
      const { lines } = await walkChains(tx, [account], source(), true);
      return lines[0];
    });
    expect(line).toBe(
      `account ${account}: broken at row 1, which is missing: a checkpoint has it, or one after it`,
    );
  });

  it('says why it could not compare the log with its checkpoints', async () => {
    const account = await newChain(2);
    await keep(account);
    const why = 'wrong settings: S3_BUCKET: required';
    const unknown = await walkChains(db, [account], why);
    expect(unknown).toEqual({
      lines: [`account ${account}: not compared with its checkpoints: ${why}`],
      isWhole: false,
    });
    const place = join(directory, 'audit', String(account));
    await chmod(directory, 0o700);
    await rename(place, `${place}-aside`);
    expect(await lineOf(account)).toBe('checkpoint 1 is noted, and not in the object store');
    const away = { ...source(), store: createDiskStore({ ...gone, clock }) };
    expect(await lineOf(account, db, away)).toContain('not compared with its checkpoints: ');
  });

  it('accepts a checkpoint only if signed by a platform key for its place', async () => {
    const [account, other] = [await newChain(1), await newChain(1)];
    await createDevPki(join(directory, 'other-keys'), { now: clock(), baseUrl });
    const foreign = loadKeys(join(directory, 'other-keys'));
    const head = await findAuditHead(db, account);
    const good = {
      accountId: account,
      number: 1,
      seq: 1,
      hash: head?.hash ?? Buffer.of(),
      at: clock(),
    };
    const put = async (text: string) =>
      store.put({
        key: `audit/${account}/1.jws`,
        body: Buffer.from(text),
        contentType: 'text/plain',
      });
    const refused =
      'checkpoint 1 is not signed by a token key that is known here, or not of this place';
    for (const text of [
      await signCheckpoint(foreign.tokens, good),
      await signCheckpoint(keys.tokens, { ...good, accountId: other }),
      await signCheckpoint(keys.tokens, { ...good, number: 2 }),
      await signCheckpoint(keys.tokens, { ...good, seq: 0 }),
      await signCheckpoint(keys.tokens, { ...good, hash: Buffer.alloc(31) }),
      'no JWS',
      '',
    ]) {
      await put(text);
      expect(await lineOf(account)).toBe(refused);
      // No checkpoint is written over it or after it.
      expect(await keep(account)).toBe(false);
    }
    await put(await signCheckpoint(keys.tokens, good));
    expect(await lineOf(account)).toContain('checked to row 1');
    // A rotated key is accepted as long as its certificate is kept.
    await put(await signCheckpoint(foreign.tokens, good));
    const lineBy = (revoked: RetiredKey['revoked']) => {
      const both = {
        tokens: keys.tokens,
        retiredTokens: [{ ...foreign.tokens, revoked, acceptedUntil: null }],
        next: [],
      };
      return lineOf(account, db, { store, keys: checkpointKeys(both) });
    };
    expect(await lineBy(null)).toContain('to row 1');
    // A stolen key is not accepted.
    const revoked_at = new Date();
    expect(await lineBy({ revoked_at, reason: 'compromised' })).toBe(refused);
  });
});

const silent = { store: { ...store, get: async () => null }, keys: () => null };
const gone = { directory: join(directory, 'nowhere'), baseUrl, secret: () => Buffer.alloc(32) };
