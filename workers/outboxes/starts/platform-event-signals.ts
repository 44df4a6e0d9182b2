import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { startOfMeeting } from '../../../activities/meetings/start.ts';
import type { Db } from '../../../db/client.ts';
import { findMeeting, type MeetingRow } from '../../../db/queries/meetings.ts';
import {
  dropFromInbox,
  inboxChannel,
  listInbox,
  markSignaled,
  type InboxRow,
} from '../../../db/queries/webhook-inbox.ts';
import { platformEventSignal } from '../../../workflows/meeting/messages.ts';
import type { Outbox } from '../relay.ts';
import { dispatchOutbox, type DispatchDeps } from '../outbox-dispatcher.ts';

type SignalDeps = DispatchDeps & { readonly db: Db; readonly client: Client };

/**
 * Signals events of a platform to the workflow of their meeting, starting it if necessary. Drops
 * events for an unknown meeting, or for one that is over.
 */
export function platformEvents(deps: SignalDeps): Outbox {
  const unsignaled = {
    list: (lengthMax: number, without: readonly string[]) => listInbox(deps.db, lengthMax, without),
    idOf: ({ event_id }: InboxRow) => event_id,
    start: (row: InboxRow) => forward(deps, row),
    mark: ({ event_id }: InboxRow) => markSignaled(deps.db, event_id),
  };
  return {
    channel: inboxChannel,
    countedAs: 'platform_events',
    drain: (signal) => dispatchOutbox(unsignaled, deps, signal),
  };
}

async function forward(
  { db, client }: SignalDeps,
  { event_id, meeting_key }: InboxRow,
): Promise<void> {
  const meeting = meeting_key === null ? null : await findMeeting(db, meeting_key);
  const isSignaled = meeting !== null && (await signal(client, meeting, event_id));
  if (!isSignaled) await dropFromInbox(db, event_id);
}

/** Returns false if the workflow has ended: it cannot be started again. */
async function signal(client: Client, meeting: MeetingRow, eventId: string): Promise<boolean> {
  try {
    await client.workflow.signalWithStart('meeting', {
      ...startOfMeeting(meeting),
      signal: platformEventSignal,
      signalArgs: [{ event_id: eventId }],
    });
    return true;
  } catch (err) {
    if (err instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw err;
  }
}
