import type { MeetingRow } from '../../db/queries/meetings.ts';
import {
  meetingWorkflowId,
  type MeetingInput,
  type MeetingTimers,
} from '../../workflows/meeting/messages.ts';
import * as attributes from '../../workflows/search-attributes.ts';
import { taskQueues } from '../../workflows/task-queues.ts';

const hourMs = 3600_000;
/** How long a meeting is waited for, may stand empty, and may last (domain §2). */
const usualTimers: MeetingTimers = {
  missedMs: 24 * hourMs,
  emptyMs: hourMs / 4,
  hardMs: 24 * hourMs,
};
const messagesMaxUsual = 500;

/** One that was planned for a time before it was made is waited for from then on. */
function expectedAt({ scheduled_at, created_at }: MeetingRow): Date {
  return scheduled_at && scheduled_at > created_at ? scheduled_at : created_at;
}

/** How the workflow of a meeting is started: one that runs is used, one that is over stays so. */
export function startOfMeeting(meeting: MeetingRow) {
  const input: MeetingInput = {
    meeting_key: meeting.meeting_key,
    timers: usualTimers,
    expected_at: expectedAt(meeting).toISOString(),
    messages_max: messagesMaxUsual,
  };
  return {
    workflowId: meetingWorkflowId(meeting.platform, meeting.meeting_key),
    taskQueue: taskQueues.core,
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    args: [input] as [MeetingInput],
    staticSummary: `Meeting on ${meeting.platform}; account ${meeting.account_id}`,
    staticDetails: 'A meeting that a link has started, until it is over.',
    typedSearchAttributes: [
      { key: attributes.flowKindKey, value: 'meeting' },
      { key: attributes.accountIdKey, value: String(meeting.account_id) },
      { key: attributes.linkUuidKey, value: meeting.link_uuid },
      { key: attributes.platformKey, value: meeting.platform },
    ],
  };
}
