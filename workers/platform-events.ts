import type { Client } from '@temporalio/client';
import { startOfMeeting } from '../activities/meetings/start.ts';
import type { Db } from '../db/client.ts';
import { findMeeting } from '../db/queries/meetings.ts';
import { inboxChannel, listInbox, markTold, type InboxRow } from '../db/queries/webhook-inbox.ts';
import { platformEventSignal } from '../workflows/meeting/messages.ts';
import type { Outbox } from './relay.ts';
import { startEach, type StartEachDeps } from './start-each.ts';

type TellDeps = StartEachDeps & { readonly db: Db; readonly client: Client };

/**
 * Tells the workflow of a meeting what its platform has told of it; the workflow is begun where it
 * was not. What is about no meeting of ours, or one that is over, is told nobody.
 */
export function platformEvents(deps: TellDeps): Outbox {
  const untold = {
    list: (lengthMax: number, without: readonly string[]) => listInbox(deps.db, lengthMax, without),
    idOf: ({ event_id }: InboxRow) => event_id,
    start: (row: InboxRow) => tell(deps, row),
    mark: ({ event_id }: InboxRow) => markTold(deps.db, event_id),
  };
  return { channel: inboxChannel, drain: (signal) => startEach(untold, deps, signal) };
}

async function tell({ db, client }: TellDeps, { event_id, meeting_key }: InboxRow): Promise<void> {
  const meeting = meeting_key === null ? null : await findMeeting(db, meeting_key);
  if (!meeting) return;
  await client.workflow.signalWithStart('meeting', {
    ...startOfMeeting(meeting),
    signal: platformEventSignal,
    signalArgs: [{ event_id }],
  });
}
