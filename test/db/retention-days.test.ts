import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRetentionActivities } from '../../activities/trust-checks/retention/activities.ts';
import type { Db } from '../../db/client.ts';
import { findOldestDue, listDueChecks, shortenRetention } from '../../db/queries/retention.ts';
import { fillLogs } from '../support/checks/fill-logs.ts';
import { createDatabase } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';
import { fromTheFirstCheck } from '../../workflows/retention/messages.ts';

const now = new Date('2026-06-01T00:00:00Z');
const hourMs = 3_600_000;
const hoursAgo = (hours: number): Date => new Date(now.getTime() - hours * hourMs);
let db: Db;
let drop: () => Promise<void>;
let check: string;
beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  await fillLogs(db, { rows: 20, accounts: 2 });
  await db.query('UPDATE trust_checks SET images_removed_at = decided_at');
  const { rows } = await db.query('SELECT link_session_id FROM trust_checks LIMIT 1');
  check = rows[0].link_session_id;
});
afterAll(() => drop());

/** Whether the images of a check are due, for these settings and the time since its end. */
async function isDue(given: {
  readonly atBegin: number | null;
  readonly account: number;
  readonly endedHoursAgo: number;
}): Promise<boolean> {
  await db.query(
    `UPDATE trust_checks SET images_removed_at = NULL, image_retention_days = $2, decided_at = $3
     WHERE link_session_id = $1`,
    [check, given.atBegin, hoursAgo(given.endedHoursAgo)],
  );
  await db.query('UPDATE accounts SET image_retention_days = $1', [given.account]);
  await shortenRetention(db, now, 1000);
  const oldest = await findOldestDue(db, now);
  const due = await listDueChecks(db, now, { decided_at: new Date(0), link_session_id: '' }, 50);
  expect(due.map(({ link_session_id }) => link_session_id)).toEqual(oldest ? [check] : []);
  return due.length === 1;
}

describe('the retention days of images', () => {
  it.each([
    { setting: 'that of the account at begin', atBegin: 7, account: 7, days: 7 },
    { setting: 'the same after the account has raised it', atBegin: 3, account: 30, days: 3 },
    { setting: 'fewer after the account has lowered it', atBegin: 30, account: 2, days: 2 },
    { setting: 'that of the account where the check has none', atBegin: null, account: 5, days: 5 },
  ])('are $setting', async ({ atBegin, account, days }) => {
    const ended = { atBegin, account };
    expect(await isDue({ ...ended, endedHoursAgo: days * 24 - 1 })).toBe(false);
    expect(await isDue({ ...ended, endedHoursAgo: days * 24 })).toBe(true);
  });

  it('last at least five minutes', async () => {
    const ended = { atBegin: 0, account: 0 };
    expect(await isDue({ ...ended, endedHoursAgo: 4 / 60 })).toBe(false);
    expect(await isDue({ ...ended, endedHoursAgo: 5 / 60 })).toBe(true);
  });

  it.each([-1, 31])('outside 0 to 30 are refused by the database: %i', async (days) => {
    const setting = db.query('UPDATE accounts SET image_retention_days = $1', [days]);
    await expect(setting).rejects.toMatchObject({ code: '23514' });
  });

  it('are those of the check when the days of accounts cannot be read', async () => {
    expect(await isDue({ atBegin: 3, account: 3, endedHoursAgo: 72 })).toBe(true);
    await db.query('ALTER TABLE accounts RENAME COLUMN image_retention_days TO unknown');
    const counted: unknown[] = [];
    const logged: unknown[] = [];
    const { removeDueImages } = createRetentionActivities({
      db,
      store: { erase: () => Promise.resolve(), health: () => Promise.resolve() },
      evidence: { erase: () => Promise.resolve() },
      clock: () => now,
      log: { error: (...told: unknown[]) => void logged.push(told.at(-1)) },
      count: (removed) => void counted.push(removed),
    });
    const step = await removeDueImages(fromTheFirstCheck);
    await db.query('ALTER TABLE accounts RENAME COLUMN unknown TO image_retention_days');
    expect(step).toMatchObject({ failed: 0, is_done: true });
    expect([counted, logged]).toEqual([['failed'], ['days of retention were not lowered']]);
    const { rows } = await db.query(
      'SELECT images_removed_at FROM trust_checks WHERE link_session_id = $1',
      [check],
    );
    expect(rows).toEqual([{ images_removed_at: now }]);
  });
});
