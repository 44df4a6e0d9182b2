import { bytea, instant } from './columns.ts';
import { pgEnum, pgTable, text } from './drizzle.ts';

export const outboxChannel = pgEnum('outbox_channel', ['mail', 'sms']);

/** Messages of the development drivers for mail and SMS; never written in production. */
export const outboxMessages = pgTable('outbox_messages', {
  id: text('id').primaryKey(),
  channel: outboxChannel('channel').notNull(),
  recipient: text('recipient').notNull(),
  subject: text('subject'),
  text: text('text').notNull(),
  html: text('html'),
  idempotency_key: text('idempotency_key').notNull().unique(),
  created_at: instant('created_at').notNull(),
});

/** Data key of each owner, wrapped by a master key of the platform (envelope encryption). */
export const dataKeys = pgTable('data_keys', {
  kid: text('kid').primaryKey(),
  owner: text('owner').notNull().unique(),
  wrapped: bytea('wrapped').notNull(),
  /** Id of the master key. Older builds know only one, `k1`. */
  wrapped_by: text('wrapped_by').notNull().default('k1'),
  created_at: instant('created_at').notNull(),
});
