import type { Client } from '@temporalio/client';
import { startOfMeeting } from '../../../activities/meetings/start.ts';
import type { Db } from '../../../db/client.ts';
import {
  listUnstartedMeetings,
  markMeetingStarted,
  type MeetingRow,
} from '../../../db/queries/meetings.ts';
import type { Outbox } from '../relay.ts';
import { dispatchOutbox, type DispatchDeps } from '../outbox-dispatcher.ts';

/** Longer than the request that starts a meeting waits for the Temporal server. */
const restMs = 5_000;

/**
 * Starts the workflow of every meeting that has a row but no workflow, so that it can become a
 * no-show and its link can be used again.
 */
export function meetingStarts(
  deps: DispatchDeps & { readonly db: Db; readonly client: Client },
): Outbox {
  const madeUntil = (): Date => new Date(deps.clock().getTime() - restMs);
  const unstarted = {
    list: (lengthMax: number, without: readonly string[]) =>
      listUnstartedMeetings(deps.db, { made_until: madeUntil(), limit: lengthMax, without }),
    idOf: ({ meeting_key }: MeetingRow) => meeting_key,
    start: (meeting: MeetingRow) => deps.client.workflow.start('meeting', startOfMeeting(meeting)),
    mark: ({ meeting_key }: MeetingRow) => markMeetingStarted(deps.db, meeting_key),
  };
  return {
    channel: null,
    countedAs: 'meetings',
    drain: (signal) => dispatchOutbox(unstarted, deps, signal),
  };
}
