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

/** Head of each stream. Its row lock keeps a stream free of gaps and in commit order. */
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
    /** Position in the account's own stream, which the pull feed and account sockets follow. */
    account_seq: bigint('account_seq', { mode: 'number' }).notNull(),
    app_id: text('app_id'),
    type: eventType('type').notNull(),
    livemode: boolean('livemode').notNull(),
    object_id: text('object_id').notNull(),
    data: jsonb('data').$type<{ object: Record<string, unknown> }>().notNull(),
    /** `reference_id` of the object, sealed as a value of its link; null if it has none. */
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
    /** The endpoint receives only events of this mode. */
    livemode: boolean('livemode').notNull().default(true),
    url: text('url').notNull(),
    /** Event types; empty for all. */
    types: text('types').array().notNull(),
    description: text('description'),
    status: endpointStatus('status').notNull(),
    disabled_reason: text('disabled_reason'),
    secret_sealed: bytea('secret_sealed').notNull(),
    /** The secret before the last rotation. Deliveries carry its signature too until it expires. */
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

/** A fictional event for a test delivery, as it is sent. */
export type EventSample = Readonly<Record<string, unknown>>;

/**
 * Inserted in the transaction of its event: the outbox from which delivery workflows are started.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    delivery_id: text('delivery_id').primaryKey(),
    endpoint_id: text('endpoint_id')
      .notNull()
      .references(() => webhookEndpoints.endpoint_id),
    event_id: text('event_id').notNull(),
    /** 0 for the event itself; each manual replay has the next number. */
    replay: integer('replay').notNull().default(0),
    /** Body of a requested sample; it has no event in the log. */
    sample: jsonb('sample').$type<EventSample>(),
    status: webhookDeliveryStatus('status').notNull(),
    /** Trace of the request that caused the event; the delivery continues it. */
    traceparent: text('traceparent'),
    started_at: instant('started_at'),
    finished_at: instant('finished_at'),
    created_at: instant('created_at').notNull(),
  },
  (table) => [
    index('webhook_deliveries_endpoint').on(table.endpoint_id, table.created_at),
    index('webhook_deliveries_pending').on(table.status, table.started_at),
    // These columns name the delivery's workflow, so two deliveries must not share them.
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
