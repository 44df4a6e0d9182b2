import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { and, desc, eq } from '../schema/drizzle.ts';
import { meetingReports } from '../schema/meetings.ts';

export type ReportRow = typeof meetingReports.$inferSelect;

const { account_id, created_at, created_by, meeting_key, object_key, report_id, status, version } =
  meetingReports;

const byId = prepare('meeting_reports.by_id', { report_id }, ({ equals }) =>
  build.select().from(meetingReports).where(equals.report_id),
);
const byKey = statement<ReportRow & { livemode: boolean }>(
  'meeting_reports.by_key',
  `SELECT r.*, m.livemode FROM meeting_reports r JOIN meetings m USING (meeting_key)
   WHERE r.object_key = :key`,
);
const newest = prepare('meeting_reports.newest', { meeting_key }, ({ equals }) =>
  build.select().from(meetingReports).where(equals.meeting_key).orderBy(desc(version)).limit(1),
);
const insert = prepare(
  'meeting_reports.insert',
  { report_id, meeting_key, account_id, version, object_key, created_by, created_at },
  ({ by }) =>
    build
      .insert(meetingReports)
      .values({ ...by, status: 'pending' })
      .returning(),
);
const again = prepare('meeting_reports.again', { report_id }, ({ equals }) =>
  build.update(meetingReports).set({ status: 'pending' }).where(equals.report_id).returning(),
);
const publish = statement<{ report_id: string }>(
  'meeting_reports.publish',
  `UPDATE meeting_reports
   SET status = 'available', sha256 = :sha256, size_bytes = :sizeBytes, available_at = :now
   WHERE report_id = :reportId AND status = 'pending' RETURNING report_id`,
);
const fail = prepare('meeting_reports.fail', { report_id }, ({ equals }) =>
  build
    .update(meetingReports)
    .set({ status: 'failed' })
    .where(and(equals.report_id, eq(status, 'pending'))),
);

export async function findReport(on: Queryable, reportId: string): Promise<ReportRow | null> {
  return firstOf(await byId(on, { report_id: reportId }));
}

/**
 * Returns a report by its object key, whether its file exists or not, with the mode of its meeting.
 */
export async function findReportAt(
  on: Queryable,
  key: string,
): Promise<(ReportRow & { livemode: boolean }) | null> {
  return firstOf(await byKey(on, { key }));
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
 * Returns the report of a meeting: the existing one, a failed one planned again, or a new one. The
 * caller holds the lock of the meeting.
 */
export async function planReport(tx: Tx, report: NewReport): Promise<ReportRow> {
  const existing = firstOf(await newest(tx, { meeting_key: report.meeting_key }));
  const planned =
    existing?.status === 'failed'
      ? firstOf(await again(tx, { report_id: existing.report_id }))
      : (existing ?? firstOf(await insert(tx, report)));
  if (!planned) throw new Error('a report was not planned');
  return planned;
}

/**
 * Records that the report file is stored. Returns false if the report is no longer wanted in this
 * form.
 */
export async function publishReport(
  tx: Tx,
  reportId: string,
  file: { readonly sha256: string; readonly sizeBytes: number },
  now: Date,
): Promise<boolean> {
  return (
    (await publish(tx, { reportId, sha256: file.sha256, sizeBytes: file.sizeBytes, now })).length >
    0
  );
}

/** Records that making the report failed. The next request tries again. */
export async function failReport(on: Queryable, reportId: string): Promise<void> {
  await fail(on, { report_id: reportId });
}
