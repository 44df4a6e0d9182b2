import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import { checkpointKeys } from '../../../activities/transparency/audit/keep-checkpoint.ts';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { walkChains } from '../../../cli/verify/verify-audit.ts';
import { transaction } from '../../../db/client.ts';
import { appendAudit } from '../../../db/queries/audit.ts';
import { call } from '../../support/http/client.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited, type AuditLine } from '../../support/people/audited.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

let last = 0;
const fresh = (): Promise<Seed> => newAccount(`audit-${process.pid}-${(last += 1)}`);
const rename = (account: Seed, name: string) =>
  call('PATCH', `/v2/accounts/${account.account_id}`, { token: account.api_key, body: { name } });
async function renamed(count: number): Promise<Seed> {
  const account = await fresh();
  for (let place = 1; place <= count; place += 1) await rename(account, `name ${place}`);
  return account;
}
const { baseUrl, dataDir } = ownPlatform();
const store = createDiskStore({
  directory: join(dataDir, 'objects'),
  baseUrl,
  secret: () => Buffer.alloc(32),
  clock: () => new Date(),
});
/** Walks the chains and the checkpoints that the worker wrote for them. */
const walkAll = (...accounts: Seed[]) =>
  walkChains(
    db,
    accounts.map(({ account_id }) => account_id),
    { store, keys: checkpointKeys(platformKeys()) },
  );
/** Returns the line of an account without the checkpoint part, which depends on the worker. */
const walk = async (account: Seed) =>
  (await walkAll(account)).lines[0]?.replace(/, (no checkpoint yet|checked to row \d+)$/, '');
/** Changes rows as an attacker with database access who disables the trigger. */
async function tamper(account: Seed, sql: string): Promise<void> {
  await transaction(db, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(sql, [account.account_id]);
  });
}

/** RFC 8785 for the types that rows contain: strings, integers, booleans, arrays and objects. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(',')}}`;
}

const nameAfter = (row: AuditLine | undefined): unknown => Object(row?.details['to']).name;

describe('the audit log', () => {
  it('is a hash chain that every reader can verify', async () => {
    const account = await renamed(3);
    await rename(account, 'name 3');
    const rows = (await audited(account)).toReversed();
    expect(rows.map(({ seq, action, details }) => [seq, action, details])).toEqual([
      [
        1,
        'account.updated',
        {
          from: { name: 'Example account', verified: true },
          to: { name: 'name 1', verified: false },
        },
      ],
      [2, 'account.updated', { from: { name: 'name 1' }, to: { name: 'name 2' } }],
      [3, 'account.updated', { from: { name: 'name 2' }, to: { name: 'name 3' } }],
    ]);
    const hashOf = ({ hash: _hash, actor_name: _name, ...row }: AuditLine): string =>
      createHash('sha256')
        .update(canonical({ ...row, account_id: account.account_id }))
        .digest('hex');
    for (const [place, row] of rows.entries()) {
      expect(row.previous_hash).toBe(rows[place - 1]?.hash ?? '0'.repeat(64));
      expect(row.hash).toBe(hashOf(row));
    }
    expect(await walk(account)).toBe(
      `account ${account.account_id}: 3 rows hold, the last one is ${rows[2]?.hash ?? ''}`,
    );
  });

  it('is paged, newest first', async () => {
    const account = await renamed(3);
    const path = `/v2/accounts/${account.account_id}/audit`;
    const page = async (query: string) =>
      (await call('GET', `${path}?${query}`, { token: account.admin.session_token })).body;
    const seqs = (body: Record<string, unknown>) =>
      (body['items'] as AuditLine[]).map(({ seq }) => seq);
    const second = await page('page=2&page_size=2');
    expect([seqs(second), second['total'], second['pages']]).toEqual([[1], 3, 2]);
    expect(seqs(await page('page_size=2'))).toEqual([3, 2]);
    expect(seqs(await page('page=9'))).toEqual([]);
    const wrong = await call('GET', `${path}?page_size=101`, { token: account.api_key });
    expect(wrong.status).toBe(422);
  });

  it.each([
    ["UPDATE audit_rows SET actor = 'nobody' WHERE account_id = $1"],
    ['DELETE FROM audit_rows WHERE account_id = $1'],
    ['TRUNCATE audit_rows'],
  ])('rejects the statement %s', async (sql) => {
    const account = await renamed(1);
    const values = sql.includes('$1') ? [account.account_id] : [];
    await expect(db.query(sql, values)).rejects.toThrow('added only');
  });

  it('has no row of a transaction that was rolled back', async () => {
    const account = await renamed(1);
    const undone = transaction(db, async (tx) => {
      const entry = { accountId: account.account_id, actor: 'nobody', objectId: 'x', details: {} };
      await appendAudit(tx, { ...entry, action: 'app.created' }, new Date());
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect((await audited(account)).length).toBe(1);
    expect(await walk(account)).toContain(': 1 row holds, the');
  });

  it('has one chain with a row for each of fifty concurrent changes', async () => {
    const account = await fresh();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, place) => rename(account, `at once ${place}`)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const rows = (await audited(account)).toReversed();
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, place) => place + 1));
    expect(rows.length).toBe(50);
    // Each row records the value before the change, which is that of the previous row.
    for (const [place, { details }] of rows.entries()) {
      if (place > 0) expect(details['from']).toEqual({ name: nameAfter(rows[place - 1]) });
    }
    expect(await walk(account)).toContain('50 rows hold');
  });
});

describe('audit verify', () => {
  const at = 'account_id = $1 AND seq';
  it.each([
    [
      'a row that says something else',
      `UPDATE audit_rows SET details = '{}' WHERE ${at} = 3`,
      'row 3, which is not what was written',
    ],
    [
      'another actor',
      `UPDATE audit_rows SET actor = 'x' WHERE ${at} = 1`,
      'row 1, which is not what was written',
    ],
    [
      'another time, by a millisecond',
      `UPDATE audit_rows SET created_at = created_at + interval '1 ms' WHERE ${at} = 5`,
      'row 5, which is not what was written',
    ],
    ['a row that is gone', `DELETE FROM audit_rows WHERE ${at} = 2`, 'row 2, which is missing'],
    ['the first row gone', `DELETE FROM audit_rows WHERE ${at} = 1`, 'row 1, which is missing'],
    ['the last row gone', `DELETE FROM audit_rows WHERE ${at} = 5`, 'row 5, which is missing'],
    ['all of them gone', 'DELETE FROM audit_rows WHERE account_id = $1', 'row 1, which is missing'],
    [
      'the last row taken back with its head',
      `WITH gone AS (DELETE FROM audit_rows WHERE ${at} = 5)
       UPDATE audit_heads SET seq = 4 WHERE account_id = $1`,
      'row 4, which is not what was written',
    ],
    [
      'a row of another chain',
      `UPDATE audit_rows SET previous_hash = sha256('x') WHERE ${at} = 4`,
      'row 4, which does not follow the row before it',
    ],
  ])('reports %s', async (_what, sql, broken) => {
    const account = await renamed(5);
    expect(await walk(account)).toContain('5 rows hold');
    await tamper(account, sql);
    expect(await walk(account)).toBe(`account ${account.account_id}: broken at ${broken}`);
  });

  it('reports a row that was added after the last one', async () => {
    const account = await renamed(2);
    await tamper(account, 'UPDATE audit_heads SET seq = 1 WHERE account_id = $1');
    expect(await walk(account)).toContain('broken at row 1, which is not what was written');
    await tamper(
      account,
      `UPDATE audit_heads h SET hash = r.hash FROM audit_rows r
       WHERE h.account_id = $1 AND r.account_id = $1 AND r.seq = 1`,
    );
    expect(await walk(account)).toContain('broken at row 2, which was added by another program');
  });

  it('verifies an account without rows, and several accounts at once', async () => {
    const [empty, whole] = [await fresh(), await renamed(1)];
    const { lines, isWhole } = await walkAll(empty, whole);
    expect([lines.length, isWhole]).toEqual([2, true]);
    expect(lines[0]).toContain(`0 rows hold, the last one is ${'0'.repeat(64)}`);
    await tamper(whole, 'DELETE FROM audit_rows WHERE account_id = $1');
    const broken = await walkAll(empty, whole);
    expect(broken.isWhole).toBe(false);
  });
});
