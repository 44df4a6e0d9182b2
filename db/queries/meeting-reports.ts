import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import type { meetingReports } from '../schema/meetings.ts';

export type ReportRow = typeof meetingReports.$inferSelect;

const byId = statement<ReportRow>(
  'meeting_reports.by_id',
  'SELECT * FROM meeting_reports WHERE report_id = $1',
);
const byKey = statement<ReportRow & { livemode: boolean }>(
  'meeting_reports.by_key',
  `SELECT r.*, m.livemode FROM meeting_reports r JOIN meetings m USING (meeting_key)
   WHERE r.object_key = $1`,
);
const newest = statement<ReportRow>(
  'meeting_reports.newest',
  'SELECT * FROM meeting_reports WHERE meeting_key = $1 ORDER BY version DESC LIMIT 1',
);
const insert = statement<ReportRow>(
  'meeting_reports.insert',
  `INSERT INTO meeting_reports (report_id, meeting_key, account_id, version, status, object_key,
     created_by, created_at)
   VALUES ($1, $2, $3, $4, 'pending', $5, $6, $7) RETURNING *`,
);
const again = statement<ReportRow>(
  'meeting_reports.again',
  `UPDATE meeting_reports SET status = 'pending' WHERE report_id = $1 RETURNING *`,
);
const publish = statement<{ report_id: string }>(
  'meeting_reports.publish',
  `UPDATE meeting_reports SET status = 'available', sha256 = $2, size_bytes = $3, available_at = $4
   WHERE report_id = $1 AND status = 'pending' RETURNING report_id`,
);
const fail = statement(
  'meeting_reports.fail',
  `UPDATE meeting_reports SET status = 'failed' WHERE report_id = $1 AND status = 'pending'`,
);

export async function findReport(on: Queryable, reportId: string): Promise<ReportRow | null> {
  return firstOf(await byId(on, [reportId]));
}

/** A report by the key of its file, whether the file exists or not, with its meeting's mode. */
export async function findReportAt(
  on: Queryable,
  key: string,
): Promise<(ReportRow & { livemode: boolean }) | null> {
  return firstOf(await byKey(on, [key]));
}

export type NewReport = Pick<
  ReportRow,
  | 'report_id'
  | 'meeting_key'
  | 'account_id'
  | 'version'
  | 'object_key'
  | 'created_by'
  | 'created_at'
>;

/**
 * The report of a meeting: the one there is, planned again where it could not be made, or a new
 * one. Under the lock of the meeting.
 */
export async function planReport(tx: Tx, report: NewReport): Promise<ReportRow> {
  const known = firstOf(await newest(tx, [report.meeting_key]));
  const planned =
    known?.status === 'failed'
      ? firstOf(await again(tx, [known.report_id]))
      : (known ??
        firstOf(
          await insert(tx, [
            report.report_id,
            report.meeting_key,
            report.account_id,
            report.version,
            report.object_key,
            report.created_by,
            report.created_at,
          ]),
        ));
  if (!planned) throw new Error('a report was not planned');
  return planned;
}

/** Notes that its file lies there; false for one that is not wanted so any more. */
export async function publishReport(
  tx: Tx,
  reportId: string,
  file: { readonly sha256: string; readonly sizeBytes: number },
  now: Date,
): Promise<boolean> {
  return (await publish(tx, [reportId, file.sha256, file.sizeBytes, now])).length > 0;
}

/** Notes that it was given up; asked for again it is tried anew. */
export async function failReport(on: Queryable, reportId: string): Promise<void> {
  await fail(on, [reportId]);
}
