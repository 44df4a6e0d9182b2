import type { Queryable } from '../../db/client.ts';
import type { MeetingRow } from '../../db/queries/meetings.ts';
import { addToInbox } from '../../db/queries/webhook-inbox.ts';
import { accountOwner, type Sealer } from '../../db/sealing/sealed.ts';

/** Returns the context under which the body of an inbox event is sealed. */
export const inboxContext = (eventId: string): string => `webhook_inbox|body|${eventId}`;

/**
 * Stores an event of a meeting unchanged, for its workflow. Ignores an event that is stored
 * already.
 */
export async function keepEvent(
  { db, sealer }: { readonly db: Queryable; readonly sealer: Sealer },
  { platform, meeting_key, account_id }: MeetingRow,
  event: { readonly event_id: string; readonly body: unknown },
  now: Date,
): Promise<void> {
  const { event_id, body } = event;
  const context = inboxContext(event_id);
  const body_sealed = await sealer.seal(accountOwner(account_id), context, JSON.stringify(body));
  await addToInbox(db, { event_id, platform, meeting_key, body_sealed, received_at: now });
}
