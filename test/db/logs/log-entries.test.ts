import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { transaction, type Db } from '../../../db/client.ts';
import { adoptPolyUser } from '../../../db/queries/identities.ts';
import type { LogScope } from '../../../db/queries/log-sources.ts';
import { countLogs, listLogged } from '../../../db/queries/logs.ts';
import { logSources, type LogSource } from '../../../domain/names.ts';
import { fillLogs, type FilledLogs } from '../../support/checks/fill-logs.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { driftOf } from './log-drift.ts';

let db: Db;
let url: string;
let drop: () => Promise<void>;
let filled: FilledLogs;

beforeAll(async () => {
  ({ db, url, drop } = await createDatabase(ownPlatform().databaseUrl));
  filled = await fillLogs(db, { rows: 600, accounts: 3 });
});
afterAll(() => drop());
// After each test, entries and totals still match the rows.
afterEach(async () => expect(await driftOf(db)).toEqual([]));

const countOf = (scope: LogScope, sources: readonly LogSource[] = logSources): Promise<number> =>
  countLogs(db, { scope, sources, livemode: null, search: null });
const account = (): LogScope => ({ kind: 'account', accountId: filled.accountId });
const app = (appId: string): LogScope => ({ kind: 'app', accountId: filled.accountId, appId });

async function connect(to: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: to });
  await client.connect();
  return client;
}

/** A copy of a row of the first account, changed in some columns. */
const copy = (table: 'meetings' | 'trust_checks', changed: Record<string, unknown>) => ({
  text: `INSERT INTO ${table} SELECT (jsonb_populate_record(r, $2)).*
    FROM ${table} r WHERE account_id = $1 LIMIT 1 ON CONFLICT DO NOTHING`,
  values: [filled.accountId, JSON.stringify(changed)],
});
let made = 0;
function newCheck(changed: Record<string, unknown> = {}) {
  made += 1;
  return copy('trust_checks', { link_session_id: `tc_new_${made}`, ...changed });
}
function newMeeting(changed: Record<string, unknown> = {}) {
  made += 1;
  const own = { meeting_key: `mt_new_${made}`, occurrence: 1_000_000 + made };
  return copy('meetings', { ...own, ...changed });
}

async function secondApp(): Promise<string> {
  const appId = `app-second-${made}`;
  await db.query(
    `INSERT INTO apps SELECT (jsonb_populate_record(a, $2)).* FROM apps a WHERE app_id = $1`,
    [filled.appId, JSON.stringify({ app_id: appId })],
  );
  return appId;
}

describe('the total of a log', () => {
  it('counts the rows of each source and each app', async () => {
    const [all, meetings, checks] = [
      await countOf(account()),
      await countOf(account(), ['meeting']),
      await countOf(account(), ['trust_check']),
    ];
    const listed = await listLogged(
      db,
      { scope: account(), sources: logSources, livemode: null, search: null },
      { limit: 1_000, from: { offset: 0 } },
    );
    expect([listed.length, meetings + checks]).toEqual([all, all]);
    const other = await secondApp();
    await db.query(newMeeting());
    await db.query(newCheck());
    await db.query(newCheck({ app_id: other }));
    // A row that already exists adds nothing.
    const { rowCount } = await db.query(newCheck({ link_session_id: `tc_new_${made}` }));
    expect(rowCount).toBe(0);
    expect([
      await countOf(account()),
      await countOf(account(), ['meeting']),
      await countOf(account(), ['trust_check']),
      await countOf(app(other)),
      await countOf(app(filled.appId)),
      await countOf(app(other), ['meeting']),
      await countOf({ kind: 'account', accountId: 999_999 }),
    ]).toEqual([all + 3, meetings + 1, checks + 2, 1, checks + 1, 0, 0]);
  });

  it('follows updates, deletions and rollbacks', async () => {
    const before = await countOf(account());
    const other = await secondApp();
    await db.query(newCheck());
    await db.query(newMeeting());
    const [check, meeting] = [`tc_new_${made - 1}`, `mt_new_${made}`];
    const change = (set: string, id: string) =>
      db.query(
        id === check
          ? `UPDATE trust_checks SET ${set} WHERE link_session_id = '${id}'`
          : `UPDATE meetings SET ${set} WHERE meeting_key = '${id}'`,
      );
    await change(`app_id = '${other}', words_blind = '{abc,def}'`, check);
    expect([await countOf(app(other)), await countOf(account())]).toEqual([1, before + 2]);
    await change("occurred_at = occurred_at + interval '1 h', topic = NULL", meeting);
    expect(await countOf(account())).toBe(before + 2);
    await change('account_id = 2', meeting);
    expect(await countOf(account())).toBe(before + 1);
    // Redaction removes personal data and keeps the row of the check.
    await change("claims_sealed = NULL, names_blind = '{}', redacted_at = now()", check);
    expect(await countOf(account())).toBe(before + 1);
    await db.query(`DELETE FROM trust_checks WHERE link_session_id = '${check}'`);
    expect(await countOf(account())).toBe(before);
    const undone = transaction(db, async (tx) => {
      await tx.query(newCheck());
      await tx.query('SAVEPOINT s');
      await tx.query(newMeeting());
      await tx.query('ROLLBACK TO s');
      await tx.query(newMeeting());
      expect(
        await countLogs(tx, {
          scope: account(),
          sources: logSources,
          livemode: null,
          search: null,
        }),
      ).toBe(before + 2);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await countOf(account())).toBe(before);
  });

  it('does not block concurrent writers, and counts the committed rows', async () => {
    const before = await countOf(account());
    const writers = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const client = await connect(url);
        await client.query("SET lock_timeout = '1s'; BEGIN");
        return client;
      }),
    );
    // Every writer has an open transaction when the next one writes: a lock wait would time out.
    for (const writer of writers) {
      await writer.query(newCheck());
      await writer.query(newMeeting());
    }
    expect(await countOf(account())).toBe(before);
    await Promise.all(
      writers.map(async (writer, place) => {
        await writer.query(place % 3 === 0 ? 'ROLLBACK' : 'COMMIT');
        await writer.end();
      }),
    );
    expect(await countOf(account())).toBe(before + 16);
    const slots = `SELECT count(*)::int AS n FROM log_totals
      WHERE account_id = $1 AND source = 'trust_check' AND app_id = $2`;
    const read = async () =>
      (await db.query<{ n: number }>(slots, [filled.accountId, filled.appId])).rows[0]?.n ?? 0;
    // A single writer reuses an existing totals row.
    const had = await read();
    for (let place = 0; place < 20; place += 1) await db.query(newCheck());
    expect([await read(), had <= 13]).toEqual([had, true]);
  });

  it('follows a merge of two persons', async () => {
    const people = ['pu_first', 'pu_second'];
    for (const id of people) {
      await db.query(
        `INSERT INTO poly_users (poly_user_id, identity_group_id, kind, created_at)
         VALUES ($1, $1, 'email', now())`,
        [id],
      );
    }
    const sitting = `INSERT INTO meeting_participants (participant_id, meeting_key, account_id,
        poly_user_id, role, status, verification, occurred_at, joined_at, created_at)
      SELECT $1 || meeting_key, meeting_key, account_id, $1, 'participant', 'joined', 'verified',
        occurred_at, occurred_at, occurred_at
      FROM meetings WHERE account_id = $2 ORDER BY meeting_key LIMIT $3`;
    await db.query(sitting, ['pu_first', filled.accountId, 5]);
    await db.query(sitting, ['pu_second', filled.accountId, 2]);
    const { accountId } = filled;
    const ofPerson = (polyUserId: string): Promise<number[]> =>
      Promise.all([
        countOf({ kind: 'person', polyUserId, accountId }),
        countOf({ kind: 'everywhere', polyUserId }),
      ]);
    const before = await countOf(account());
    await transaction(db, (tx) => adoptPolyUser(tx, 'pu_first', 'pu_second', false, new Date()));
    // Both were in two meetings: there, each participant keeps their own person.
    expect([await ofPerson('pu_first'), await ofPerson('pu_second')]).toEqual([
      [2, 2],
      [5, 5],
    ]);
    expect(await countOf(account())).toBe(before);
  });
});

it('becomes zero when its table is truncated', async () => {
  await db.query('TRUNCATE trust_checks CASCADE');
  expect(await countOf(account(), ['trust_check'])).toBe(0);
  expect(await countOf(account())).toBeGreaterThan(0);
});
