import type { EventType } from '../../workflows/events.ts';
import { statement, type Queryable, type Tx } from '../client.ts';
import type { Ids } from '../ids.ts';
import type { events } from '../schema/events.ts';

export type EventRow = typeof events.$inferSelect;

/** One change, as the transaction that makes it tells the log. Ids, enums and digests only. */
export interface NewEvent {
  readonly stream: string;
  readonly type: EventType;
  readonly account_id: number;
  readonly app_id: string | null;
  readonly livemode: boolean;
  readonly object_id: string;
  readonly object: Record<string, unknown>;
  readonly previousStatus?: string;
}

export const trustCheckStream = (linkSessionId: string): string => `trust-check:${linkSessionId}`;
export const linkStream = (linkUuid: string): string => `link:${linkUuid}`;

/** The channel on which a commit says that a stream has grown; its payload is the stream's name. */
export const eventsChannel = 'events';
/** The channel on which a commit says that webhook deliveries are waiting. */
export const deliveriesChannel = 'webhook_deliveries';

/**
 * Takes the account's place first and the object's second, always in that order: two transactions
 * that touch the same streams can then never wait for each other in a ring. The last part writes
 * one pending delivery for each endpoint that wants the event (transactional outbox).
 */
const append = statement<EventRow & { deliveries: number }>(
  'events.append',
  `WITH account_head AS (
     INSERT INTO streams (stream, seq) VALUES ('account:' || $4::int, 1)
     ON CONFLICT (stream) DO UPDATE SET seq = streams.seq + 1 RETURNING seq
   ), head AS (
     INSERT INTO streams (stream, seq) SELECT $2, 1 FROM account_head
     ON CONFLICT (stream) DO UPDATE SET seq = streams.seq + 1 RETURNING seq
   ), added AS (
     INSERT INTO events (event_id, stream, seq, account_id, account_seq, app_id, type, livemode,
                         object_id, data, previous, created_at)
     SELECT $1, $2, head.seq, $4::int, account_head.seq, $5, $3::text::event_type, $6, $7, $8::jsonb,
            $9::jsonb, $10
     FROM head, account_head RETURNING *
   ), outgoing AS (
     INSERT INTO webhook_deliveries (delivery_id, endpoint_id, event_id, status, created_at)
     SELECT 'wd_' || replace(gen_random_uuid()::text, '-', ''), e.endpoint_id, $1, 'pending', $10
     FROM webhook_endpoints e
     WHERE e.account_id = $4::int AND e.status = 'enabled'
       AND (cardinality(e.types) = 0 OR $3::text = ANY (e.types))
       AND (e.app_id IS NULL OR e.app_id = $5)
     RETURNING 1
   )
   SELECT added.*, (SELECT count(*)::int FROM outgoing) AS deliveries,
          pg_notify('events', added.stream), pg_notify('events', 'account:' || added.account_id)
   FROM added`,
);

const notifyDeliveries = statement('events.notify_deliveries', `SELECT pg_notify($1, '')`);

/**
 * Appends events inside the transaction that changes the state they tell of. Call it last: from
 * here to the commit the account's stream is locked.
 */
export async function appendEvents(
  tx: Tx,
  deps: { ids: Ids; now: Date },
  newEvents: readonly NewEvent[],
): Promise<EventRow[]> {
  const rows: EventRow[] = [];
  let deliveries = 0;
  const ordered = [...newEvents].sort((a, b) => a.account_id - b.account_id);
  for (const event of ordered) {
    const [row] = await append(tx, [
      deps.ids.make('evt'),
      event.stream,
      event.type,
      event.account_id,
      event.app_id,
      event.livemode,
      event.object_id,
      JSON.stringify({ object: event.object }),
      event.previousStatus === undefined ? null : JSON.stringify({ status: event.previousStatus }),
      deps.now,
    ]);
    if (!row) throw new Error('an event was not appended');
    deliveries += row.deliveries;
    rows.push(row);
  }
  if (deliveries > 0) await notifyDeliveries(tx, [deliveriesChannel]);
  return rows;
}

/** Events of one object stream after a sequence number, oldest first. */
export const listStream: (on: Queryable, values: readonly unknown[]) => Promise<EventRow[]> =
  statement<EventRow>(
    'events.list_stream',
    'SELECT * FROM events WHERE stream = $1 AND seq > $2 ORDER BY seq LIMIT $3',
  );

/** Events of one account after a place in its stream, oldest first; `types` empty means all. */
export const listAccount: (on: Queryable, values: readonly unknown[]) => Promise<EventRow[]> =
  statement<EventRow>(
    'events.list_account',
    `SELECT * FROM events WHERE account_id = $1 AND account_seq > $2
       AND (cardinality($4::text[]) = 0 OR type::text = ANY ($4))
     ORDER BY account_seq LIMIT $3`,
  );

export const getEvent: (on: Queryable, values: readonly unknown[]) => Promise<EventRow[]> =
  statement<EventRow>('events.get', 'SELECT * FROM events WHERE event_id = $1 AND account_id = $2');

/** Heads of streams, to tell which of them have grown. */
export const headsOf = statement<{ stream: string; seq: string }>(
  'events.heads',
  'SELECT stream, seq FROM streams WHERE stream = ANY ($1)',
);
