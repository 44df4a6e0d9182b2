import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db, Queryable } from '../../db/client.ts';
import { takeCutUploads } from '../../db/queries/evidence-uploads.ts';
import { removeEndedMarks } from '../../db/queries/face-marks.ts';
import { listWithoutReceiptWorkflow } from '../../db/queries/receipts.ts';
import { listDueRenewals } from '../../db/queries/renewals.ts';
import { findOldestDue, listDueChecks, shortenRetention } from '../../db/queries/retention.ts';
import { fillLogs } from '../support/checks/fill-logs.ts';
import { createDatabase } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';
import { plansOf, readOf } from './rights/plans.ts';

const accounts = 60;
const now = new Date('2026-06-01T00:00:00Z');
let db: Db;
let drop: () => Promise<void>;

/**
 * Every check has ended, and half of them are due. One iPhone in five is followed, and half of the
 * apps belong to a team without a key here. One upload in a hundred was cut off.
 */
beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  await fillLogs(db, { rows: 16_000, accounts });
  await db.query(`UPDATE trust_checks SET image_retention_days = (ARRAY[0, 7, 30])[1 + abs(hashtext(link_uuid)) % 3],
    images_removed_at = CASE WHEN hashtext(link_session_id) % 2 = 0 THEN decided_at END`);
  await db.query(`UPDATE apps SET apple = jsonb_build_object('team_id',
    CASE WHEN account_id % 2 = 0 THEN 'OURS' ELSE 'THEIRS' END)`);
  await db.query('ALTER TABLE devices DISABLE TRIGGER ALL');
  await db.query(`INSERT INTO devices (device_id, poly_user_id, app_id, platform, attested_key_id,
      public_key_spki, evidence_sealed, verdict, signing_kid, created_at, followed_at)
    SELECT 'dev_' || n, 'pu_1', 'app-' || (1 + n % ${accounts}), 'ios', n::text, '', '', '{}', 'kid',
      now(), CASE WHEN n % 5 = 0 THEN now() END
    FROM generate_series(1, 6000) n`);
  await db.query(
    `INSERT INTO evidence_uploads (object_key, evidence_id, upload_id, begun_at)
     SELECT n::text, n::text, 'up', $1::timestamptz - (n % 100) * interval '1 minute'
     FROM generate_series(1, 5000) n`,
    [now],
  );
  await db.query('ALTER TABLE face_marks DISABLE TRIGGER ALL');
  await db.query(
    `INSERT INTO face_marks (mark, link_session_id, expires_at)
     SELECT sha256(n::text::bytea), 'ls', $1::timestamptz + (n % 100 - 2) * interval '1 minute'
     FROM generate_series(1, 5000) n`,
    [now],
  );
  // One affidavit in fifty is due.
  await db.query(
    `INSERT INTO affidavits (affidavit_id, link_session_id, account_id, app_id, status, created_at,
       renew_at)
     SELECT 'aff_' || n, link_session_id, account_id, app_id, 'available', $1::timestamptz,
       $1::timestamptz + (n % 50) * interval '1 hour'
     FROM (SELECT *, row_number() OVER () AS n FROM trust_checks LIMIT 6000) t`,
    [now],
  );
  await db.query('VACUUM ANALYZE');
});
afterAll(() => drop());

const first = { decided_at: new Date(0), link_session_id: '' };
const amid = { decided_at: new Date('2025-06-01'), link_session_id: '' };
const before = new Date(now.getTime() - 98 * 60_000);

/** A query, the index it must use, and the most rows it may read of a growing table. */
const queries: readonly [string, (on: Queryable) => Promise<unknown>, string, string, number][] = [
  [
    'the checks whose images are due',
    (on) => listDueChecks(on, now, first, 50),
    'trust_checks_images_days',
    'trust_checks',
    300,
  ],
  [
    'the next ones',
    (on) => listDueChecks(on, now, amid, 50),
    'trust_checks_images_days',
    'trust_checks',
    300,
  ],
  [
    'the check that is due for the longest time',
    (on) => findOldestDue(on, now),
    'trust_checks_images_days',
    'trust_checks',
    31,
  ],
  [
    'the checks of an account that shortened its image retention',
    (on) => shortenRetention(on, now, 50),
    'trust_checks_images',
    'trust_checks',
    300,
  ],
  [
    'the iPhones without a workflow that follows their receipts',
    (on) => listWithoutReceiptWorkflow(on, { teams: ['OURS'], limit: 100, without: ['dev_1'] }),
    'devices_unfollowed',
    'devices',
    300,
  ],
  [
    'the affidavits that are due for archiving',
    (on) => listDueRenewals(on, now, { renew_at: new Date(0), affidavit_id: '' }, 50),
    'affidavits_renewable',
    'affidavits',
    100,
  ],
  [
    'the uploads that were cut off',
    (on) => takeCutUploads(on, { now, before, lengthMax: 20 }),
    'evidence_uploads_begun',
    'evidence_uploads',
    100,
  ],
  [
    'the expired marks of frames',
    (on) => removeEndedMarks(on, now, 20),
    'face_marks_expiry',
    'face_marks',
    100,
  ],
];

describe('a query for due rows', () => {
  it.each(queries)('finds them by its index: %s', async (_, ask, index, table, rowsMax) => {
    for (const way of ['custom', 'generic'] as const) {
      const nodes = await plansOf(db, ask, way);
      expect(nodes.map((node) => node['Index Name'])).toContain(index);
      const scanned = nodes.filter((node) => node['Node Type'] === 'Seq Scan');
      expect(scanned.map((node) => node['Relation Name'])).not.toContain(table);
    }
    // The work depends on the limit of the query, not on the number of rows in the table.
    const read = readOf(await plansOf(db, ask, 'run'), table);
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThanOrEqual(rowsMax);
  });
});
