import { reportUrlLifeMs, writeReportUrl } from '../../activities/meetings/report/report-url.ts';
import { lockedTransaction, type Tx } from '../../db/client.ts';
import { planReport, type ReportRow } from '../../db/queries/meeting-reports.ts';
import { lockMeeting, type MeetingRow } from '../../db/queries/meetings.ts';
import { Failure } from '../../workflows/failures.ts';
import {
  meetingReportWorkflowId,
  type MeetingReportInput,
} from '../../workflows/meeting-report/messages.ts';
import { accountIdKey, flowKindKey } from '../../workflows/search-attributes.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import type { Deps } from '../deps.ts';
import { callerName } from '../http/auth/caller.ts';
import { handler } from '../http/contract.ts';
import { findMeetingOrThrow } from '../meetings/find.ts';
import { meetingLogContracts } from './meeting-contract.ts';

type ReportDeps = Pick<Deps, 'db' | 'ids' | 'keys' | 'settings' | 'temporal'>;

/**
 * Starts the report of a meeting: plans it, then starts its workflow. A repeated request starts the
 * workflow of a planned report if it was not started.
 */
export const makeReport = handler(meetingLogContracts.makeReport)(async (
  { body, authorize, caller, call },
  deps: ReportDeps,
) => {
  const meeting = await findMeetingOrThrow(deps, body, authorize);
  const report = await plan(deps, meeting, callerName(caller), call.now);
  if (report.status === 'pending') await deps.temporal.start('meetingReport', startOf(report));
  const { baseUrl } = deps.settings;
  const until = new Date(call.now.getTime() + reportUrlLifeMs);
  const token = writeReportUrl(deps.keys.secret('report-urls'), report.object_key, until);
  return {
    status: 200,
    body: {
      report_id: report.report_id,
      status: report.status,
      url: `${baseUrl}/v2/reports/meeting/${token}`,
    },
  };
});

/** Returns the planned report. Concurrent requests get the same one. */
async function plan(
  { db, ids }: ReportDeps,
  { meeting_key, account_id }: MeetingRow,
  createdBy: string,
  now: Date,
): Promise<ReportRow> {
  const lock = (tx: Tx) => lockMeeting(tx, meeting_key);
  return lockedTransaction(db, lock, (tx, meeting) => {
    if (meeting?.status !== 'ended' && meeting?.status !== 'reported') {
      throw new Failure('invalid_state', { detail: `The meeting is ${meeting?.status ?? 'gone'}` });
    }
    return planReport(tx, {
      report_id: ids.make('mr'),
      meeting_key,
      account_id,
      version: meeting.version,
      object_key: `reports/${account_id}/${ids.make('rp')}.pdf`,
      created_by: createdBy,
      created_at: now,
    });
  });
}

function startOf({ report_id, account_id }: ReportRow) {
  const args: [MeetingReportInput] = [{ report_id }];
  return {
    workflowId: meetingReportWorkflowId(report_id),
    taskQueue: taskQueues.core,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    args,
    staticSummary: `Report of a meeting; account ${account_id}`,
    typedSearchAttributes: [
      { key: flowKindKey, value: 'meetingReport' },
      { key: accountIdKey, value: String(account_id) },
    ],
  };
}
