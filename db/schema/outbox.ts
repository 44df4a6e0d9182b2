import { pgEnum, pgTable, text } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

export const outboxChannel = pgEnum('outbox_channel', ['mail', 'sms']);

/** Messages of the development drivers of mail and SMS; never written in production. */
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

/** Per-account data keys, wrapped by the platform's master key (envelope encryption). */
export const dataKeys = pgTable('data_keys', {
  kid: text('kid').primaryKey(),
  owner: text('owner').notNull().unique(),
  wrapped: bytea('wrapped').notNull(),
  created_at: instant('created_at').notNull(),
});
