import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { and, isNull } from '../schema/drizzle.ts';
import { webhookInbox } from '../schema/meetings.ts';

export type InboxRow = typeof webhookInbox.$inferSelect;

const { event_id, taken_at } = webhookInbox;

/** NOTIFY channel for received events of conference platforms. */
export const inboxChannel = 'webhook_inbox';

/** Longer than a platform retries, so that a repeated event is detected. */
const keptDays = 7;
const sweptMax = 100;

const insert = statement<{ event_id: string }>(
  'webhook_inbox.insert',
  `WITH swept AS (
     DELETE FROM webhook_inbox WHERE event_id IN (
       SELECT event_id FROM webhook_inbox
       WHERE received_at < :received_at::timestamptz - interval '${keptDays} days'
         AND NOT awaits_signal
       ORDER BY received_at LIMIT ${sweptMax} FOR UPDATE SKIP LOCKED)),
   made AS (
     INSERT INTO webhook_inbox (event_id, platform, meeting_key, body_sealed, received_at)
     SELECT :event_id, :platform::meeting_platform, :meeting_key, :body_sealed,
       greatest(:received_at, max(received_at) + interval '1 ms')
     FROM webhook_inbox WHERE awaits_signal
     ON CONFLICT (event_id) DO NOTHING RETURNING event_id)
   SELECT event_id, pg_notify('${inboxChannel}', '') FROM made`,
);
const waiting = statement<InboxRow>(
  'webhook_inbox.waiting',
  `SELECT * FROM webhook_inbox
   WHERE awaits_signal AND event_id <> ALL (:without::text[])
     ORDER BY received_at, event_id LIMIT :lengthMax`,
);
const told = prepare('webhook_inbox.told', { event_id }, ({ equals }) =>
  build.update(webhookInbox).set({ awaits_signal: false }).where(equals.event_id),
);
const drop = prepare('webhook_inbox.drop', { event_id }, ({ equals }) =>
  build
    .update(webhookInbox)
    .set({ awaits_signal: false, body_sealed: null })
    .where(and(equals.event_id, isNull(taken_at))),
);
const take = statement<InboxRow>(
  'webhook_inbox.take',
  `WITH kept AS (
     SELECT * FROM webhook_inbox WHERE event_id = :eventId AND taken_at IS NULL FOR UPDATE
   ), taken AS (
     UPDATE webhook_inbox w SET taken_at = :now, awaits_signal = false, body_sealed = NULL
     FROM kept WHERE w.event_id = kept.event_id
   )
   SELECT * FROM kept`,
);

export type NewInboxRow = Omit<InboxRow, 'awaits_signal' | 'taken_at'>;

/**
 * Stores a received event, and deletes a few old rows. Returns false if it is already stored. Its
 * time is after that of waiting events, because events of one batch have the same instant but an
 * order.
 */
export async function addToInbox(on: Queryable, row: NewInboxRow): Promise<boolean> {
  const { event_id, platform, meeting_key, body_sealed, received_at } = row;
  const made = await insert(on, { event_id, platform, meeting_key, body_sealed, received_at });
  return made.length > 0;
}

/** Lists events whose workflow is not signaled yet, oldest first, except the given ids. */
export async function listInbox(
  on: Queryable,
  lengthMax: number,
  without: readonly string[],
): Promise<InboxRow[]> {
  return waiting(on, { lengthMax, without });
}

/** Records that the workflow was signaled. */
export async function markSignaled(on: Queryable, eventId: string): Promise<void> {
  await told(on, { event_id: eventId });
}

/** Records that no workflow exists for an event, and deletes its body. */
export async function dropFromInbox(on: Queryable, eventId: string): Promise<void> {
  await drop(on, { event_id: eventId });
}

/** Consumes an event once, in the transaction that records it. Deletes its body. */
export async function takeFromInbox(tx: Tx, eventId: string, now: Date): Promise<InboxRow | null> {
  return firstOf(await take(tx, { eventId, now }));
}
