import type { MeetingRow } from '../../db/queries/meetings.ts';
import {
  meetingWorkflowId,
  type MeetingInput,
  type MeetingTimers,
} from '../../workflows/meeting/messages.ts';
import * as attributes from '../../workflows/search-attributes.ts';
import { taskQueues } from '../../workflows/task-queues.ts';

const hourMs = 3600_000;
/** Limits of a meeting: wait for its start, time without participants, and duration. */
const usualTimers: MeetingTimers = {
  missedMs: 24 * hourMs,
  emptyMs: hourMs / 4,
  hardMs: 24 * hourMs,
};
const messagesMaxUsual = 500;

/** Returns the planned time, or the time of creation if that is later. */
function expectedAt({ scheduled_at, created_at }: MeetingRow): Date {
  return scheduled_at && scheduled_at > created_at ? scheduled_at : created_at;
}

/**
 * Returns the start options of a meeting's workflow. A running one is used; an ended one stays so.
 */
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
