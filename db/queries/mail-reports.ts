import type { ReportedState } from '../../workflows/link-invitation/state.ts';
import { statement, type Queryable } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { mailReports } from '../schema/links.ts';

const { event_id } = mailReports;

/** NOTIFY channel for reports of the mail provider. */
export const mailReportsChannel = 'mail_reports';

/** Longer than a report is accepted, so that a repeated report is detected. */
const keptDays = 7;
const sweptMax = 100;

export interface MailReportRow {
  readonly event_id: string;
  readonly link_uuid: string;
  readonly status: ReportedState;
}

const insert = statement<{ event_id: string }>(
  'mail_reports.insert',
  `WITH swept AS (
     DELETE FROM mail_reports WHERE event_id IN (
       SELECT event_id FROM mail_reports
       WHERE received_at < :now::timestamptz - interval '${keptDays} days' AND NOT awaits_signal
       ORDER BY received_at LIMIT ${sweptMax} FOR UPDATE SKIP LOCKED)),
   made AS (
     INSERT INTO mail_reports (event_id, link_uuid, status, received_at)
     SELECT DISTINCT ON (r.event_id) r.event_id, r.link_uuid, r.status, :now
     FROM unnest(:eventIds::text[], :linkUuids::text[], :statuses::text[]) r (event_id, link_uuid,
       status)
     JOIN links l ON l.link_uuid = r.link_uuid AND l.emailed
     ORDER BY r.event_id
     ON CONFLICT (event_id) DO NOTHING RETURNING event_id)
   SELECT event_id, pg_notify('${mailReportsChannel}', '') FROM made`,
);
const waiting = statement<MailReportRow>(
  'mail_reports.waiting',
  `SELECT event_id, link_uuid, status FROM mail_reports
   WHERE awaits_signal AND event_id <> ALL (:without::text[])
     ORDER BY received_at, event_id LIMIT :lengthMax`,
);
const told = prepare('mail_reports.told', { event_id }, ({ equals }) =>
  build.update(mailReports).set({ awaits_signal: false }).where(equals.event_id),
);

/**
 * Stores new reports on emailed links, and deletes a few old ones. Ignores reports on mails that
 * are not links of this service.
 */
export async function addMailReports(
  on: Queryable,
  reports: readonly MailReportRow[],
  now: Date,
): Promise<void> {
  await insert(on, {
    eventIds: reports.map(({ event_id }) => event_id),
    linkUuids: reports.map(({ link_uuid }) => link_uuid),
    statuses: reports.map(({ status }) => status),
    now,
  });
}

/** Lists reports whose workflow is not signaled yet, oldest first, except the given ids. */
export async function listMailReports(
  on: Queryable,
  lengthMax: number,
  without: readonly string[],
): Promise<MailReportRow[]> {
  return waiting(on, { lengthMax, without });
}

/** Records that the workflow was signaled, or does not exist any more. */
export async function markReported(on: Queryable, eventId: string): Promise<void> {
  await told(on, { event_id: eventId });
}
