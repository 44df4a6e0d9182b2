import type { EventType } from '../../workflows/events.ts';
import { inReach, statement, type Queryable, type Tx } from '../client.ts';
import type { Ids } from '../ids.ts';
import type { events } from '../schema/events.ts';
import { currentTraceparent } from '../traceparent.ts';

export type EventRow = typeof events.$inferSelect;

/**
 * One change, as recorded in the event log. Only ids, enums and digests, and the sealed reference
 * of the link.
 */
export interface NewEvent {
  readonly stream: string;
  readonly type: EventType;
  readonly account_id: number;
  readonly app_id: string | null;
  readonly livemode: boolean;
  readonly object_id: string;
  readonly object: Record<string, unknown>;
  /** Reference of the object's link, as sealed there. */
  readonly reference_sealed?: Buffer | null;
  readonly previousStatus?: string;
}

export const trustCheckStream = (linkSessionId: string): string => `trust-check:${linkSessionId}`;
export const linkStream = (linkUuid: string): string => `link:${linkUuid}`;
/**
 * Returns the name of a person's stream within one account. Each account has its own stream, so no
 * account receives events of another.
 */
export const identityStream = (polyUserId: string, accountId: number): string =>
  `identity:${polyUserId}:${accountId}`;

/** NOTIFY channel for streams that have grown. The payload is the stream name. */
export const eventsChannel = 'events';
/** NOTIFY channel for pending webhook deliveries. */
export const deliveriesChannel = 'webhook_deliveries';

/**
 * Appends all events of one account at once, in the given order. Locks the account's stream first
 * and the object streams second, always in that order, so that concurrent transactions do not
 * deadlock. `outgoing` inserts one pending delivery for each endpoint that subscribes to the event
 * (transactional outbox). `hint` notifies once that there are deliveries.
 */
const append = statement<{ added: number; hinted: number }>(
  'events.append',
  `WITH given AS (
     SELECT *, row_number() OVER (PARTITION BY stream ORDER BY place) AS stream_place
     FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::bool[], $8::text[],
                 $9::text[], $10::text[], $12::bytea[])
          WITH ORDINALITY AS g (event_id, stream, type, app_id, livemode, object_id, data,
                                previous, reference_sealed, place)
   ), account_head AS (
     INSERT INTO streams (stream, seq) SELECT 'account:' || $1::int, count(*) FROM given
     ON CONFLICT (stream) DO UPDATE SET seq = streams.seq + excluded.seq
     RETURNING seq - (SELECT count(*) FROM given) AS seq
   ), heads AS (
     INSERT INTO streams (stream, seq)
     SELECT stream, count(*) FROM given, account_head GROUP BY stream ORDER BY stream
     ON CONFLICT (stream) DO UPDATE SET seq = streams.seq + excluded.seq
     RETURNING stream, seq - (SELECT count(*) FROM given g WHERE g.stream = streams.stream) AS seq
   ), added AS (
     INSERT INTO events (event_id, stream, seq, account_id, account_seq, app_id, type, livemode,
                         object_id, data, previous, reference_sealed,
                         created_at)
     SELECT g.event_id, g.stream, heads.seq + g.stream_place, $1::int, account_head.seq + g.place,
            g.app_id, g.type::event_type, g.livemode, g.object_id, g.data::jsonb,
            g.previous::jsonb, g.reference_sealed, $2
     FROM given g JOIN heads USING (stream), account_head ORDER BY g.place
     RETURNING pg_notify('${eventsChannel}', stream)
   ), outgoing AS (
     INSERT INTO webhook_deliveries (delivery_id, endpoint_id, event_id, status, traceparent,
                                     created_at)
     SELECT 'wd_' || replace(gen_random_uuid()::text, '-', ''), e.endpoint_id, g.event_id,
            'pending', $11, $2
     FROM given g JOIN webhook_endpoints e
       ON e.account_id = $1::int AND e.status = 'enabled'
          AND (cardinality(e.types) = 0 OR g.type = ANY (e.types))
          AND e.livemode = g.livemode AND (e.app_id IS NULL OR e.app_id = g.app_id)
     RETURNING 1
   ), hint AS MATERIALIZED (
     SELECT pg_notify('${deliveriesChannel}', '') FROM outgoing LIMIT 1
   )
   SELECT (SELECT count(*) FROM added) AS added, (SELECT count(*) FROM hint) AS hinted,
          pg_notify('${eventsChannel}', 'account:' || $1::int)`,
);

/**
 * Appends events inside the transaction that changes the state. Call it last: the account's stream
 * stays locked until the commit.
 */
export async function appendEvents(
  tx: Tx,
  deps: { ids: Ids; now: Date },
  newEvents: readonly NewEvent[],
): Promise<void> {
  const accounts = new Set(newEvents.map((event) => event.account_id));
  for (const accountId of [...accounts].sort((a, b) => a - b)) {
    const given = newEvents.filter((event) => event.account_id === accountId);
    const [result] = await append(tx, [
      accountId,
      deps.now,
      given.map(() => deps.ids.make('evt')),
      given.map(({ stream }) => stream),
      given.map(({ type }) => type),
      given.map(({ app_id }) => app_id),
      given.map(({ livemode }) => livemode),
      given.map(({ object_id }) => object_id),
      given.map(({ object }) => JSON.stringify({ object })),
      given.map(({ previousStatus: status }) => (status ? JSON.stringify({ status }) : null)),
      currentTraceparent(),
      given.map(({ reference_sealed }) => reference_sealed ?? null),
    ]);
    if (result?.added !== given.length) throw new Error('an event was not appended');
  }
}

/** Returns events of one object stream after a sequence number, oldest first. */
export const listStream: (on: Queryable, values: readonly unknown[]) => Promise<EventRow[]> =
  statement<EventRow>(
    'events.list_stream',
    'SELECT * FROM events WHERE stream = $1 AND seq > $2 ORDER BY seq LIMIT $3',
  );

/**
 * Returns events of an object stream that belongs to the account. A stream of another account
 * appears empty.
 */
export const listOwnStream = inReach<EventRow>(
  'events.list_own_stream',
  (reach) => `SELECT * FROM events WHERE stream = $5 AND account_id = $1 AND seq > $2 ${reach}
       AND (cardinality($4::text[]) = 0 OR type::text = ANY ($4))
     ORDER BY seq LIMIT $3`,
);

/**
 * Returns events of one account after a position in its stream, oldest first. Empty `types` means
 * all.
 */
export const listAccount = inReach<EventRow>(
  'events.list_account',
  (reach) => `SELECT * FROM events WHERE account_id = $1 AND account_seq > $2 ${reach}
       AND (cardinality($4::text[]) = 0 OR type::text = ANY ($4))
     ORDER BY account_seq LIMIT $3`,
);

/** Returns one event, of this account only unless the account is null. */
export const getEvent: (on: Queryable, values: readonly unknown[]) => Promise<EventRow[]> =
  statement<EventRow>(
    'events.get',
    'SELECT * FROM events WHERE event_id = $1 AND account_id = coalesce($2::int, account_id)',
  );

/** Returns the heads of streams, to detect which of them have grown. */
export const headsOf = statement<{ stream: string; seq: number }>(
  'events.heads',
  'SELECT stream, seq FROM streams WHERE stream = ANY ($1)',
);
