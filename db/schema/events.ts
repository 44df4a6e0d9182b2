import { eventTypes } from '../../workflows/events.ts';
import { accounts } from './accounts.ts';
import { bytea, instant } from './columns.ts';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex,
} from './drizzle.ts';

export const eventType = pgEnum('event_type', eventTypes);

/** The head of each stream. Its row lock makes a stream gap-free and ordered by commit. */
export const streams = pgTable('streams', {
  stream: text('stream').primaryKey(),
  seq: bigint('seq', { mode: 'number' }).notNull(),
});

export const events = pgTable(
  'events',
  {
    event_id: text('event_id').notNull().unique(),
    stream: text('stream').notNull(),
    seq: bigint('seq', { mode: 'number' }).notNull(),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    /** The place in the account's own stream, which the pull feed and account sockets follow. */
    account_seq: bigint('account_seq', { mode: 'number' }).notNull(),
    app_id: text('app_id'),
    type: eventType('type').notNull(),
    livemode: boolean('livemode').notNull(),
    object_id: text('object_id').notNull(),
    data: jsonb('data').$type<{ object: Record<string, unknown> }>().notNull(),
    /** The `reference_id` of the object, sealed as a value of its link; null where it has none. */
    reference_sealed: bytea('reference_sealed'),
    previous: jsonb('previous').$type<{ status?: string }>(),
    created_at: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.stream, table.seq] }),
    index('events_account').on(table.account_id, table.account_seq),
    index('events_in_test')
      .on(table.account_id, table.account_seq)
      .where(sql`NOT ${table.livemode}`),
  ],
);

export const endpointStatus = pgEnum('endpoint_status', ['enabled', 'disabled', 'removed']);

export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    endpoint_id: text('endpoint_id').primaryKey(),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    app_id: text('app_id'),
    /** It receives events of this mode only. */
    livemode: boolean('livemode').notNull().default(true),
    url: text('url').notNull(),
    /** Event types; empty means all of them. */
    types: text('types').array().notNull(),
    description: text('description'),
    status: endpointStatus('status').notNull(),
    disabled_reason: text('disabled_reason'),
    secret_sealed: bytea('secret_sealed').notNull(),
    /** The secret before the last rotation, which signs besides until it expires. */
    previous_secret_sealed: bytea('previous_secret_sealed'),
    previous_secret_expires_at: instant('previous_secret_expires_at'),
    created_at: instant('created_at').notNull(),
    updated_at: instant('updated_at').notNull(),
  },
  (table) => [index('webhook_endpoints_account').on(table.account_id)],
);

export const webhookDeliveryStatus = pgEnum('webhook_delivery_status', [
  'pending',
  'delivering',
  'delivered',
  'failed',
  'canceled',
]);

/** An event as it leaves, made up to be tried out. */
export type EventSample = Readonly<Record<string, unknown>>;

/**
 * Written in the transaction of its event: the outbox from which delivery workflows are started.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    delivery_id: text('delivery_id').primaryKey(),
    endpoint_id: text('endpoint_id')
      .notNull()
      .references(() => webhookEndpoints.endpoint_id),
    event_id: text('event_id').notNull(),
    /** 0 for the event itself; each replay by hand gets the next one. */
    replay: integer('replay').notNull().default(0),
    /** The body of a sample that was asked for; no event of the log stands behind it. */
    sample: jsonb('sample').$type<EventSample>(),
    status: webhookDeliveryStatus('status').notNull(),
    /** The trace of what made the event; its delivery goes on with it. */
    traceparent: text('traceparent'),
    started_at: instant('started_at'),
    finished_at: instant('finished_at'),
    created_at: instant('created_at').notNull(),
  },
  (table) => [
    index('webhook_deliveries_endpoint').on(table.endpoint_id, table.created_at),
    index('webhook_deliveries_pending').on(table.status, table.started_at),
    // The name of the delivery's workflow: two deliveries that shared one would be one.
    uniqueIndex('webhook_deliveries_replay').on(table.endpoint_id, table.event_id, table.replay),
  ],
);

export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    delivery_id: text('delivery_id')
      .notNull()
      .references(() => webhookDeliveries.delivery_id),
    attempt: integer('attempt').notNull(),
    status: integer('status'),
    error: text('error'),
    latency_ms: integer('latency_ms').notNull(),
    response_start: text('response_start'),
    at: instant('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.delivery_id, table.attempt] })],
);
