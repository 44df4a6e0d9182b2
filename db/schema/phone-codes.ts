import type { CodeDelivery } from '../../domain/names.ts';
import { bytea, instant } from './columns.ts';
import { index, integer, pgTable, primaryKey, text } from './drizzle.ts';
import { trustChecks } from './trust-checks.ts';

/**
 * The SMS code of a session is derived, never stored; this row holds the number and the counters.
 */
export const phoneCodes = pgTable(
  'phone_codes',
  {
    link_session_id: text('link_session_id')
      .notNull()
      .references(() => trustChecks.link_session_id),
    /** Rises with the number, and when its code has grown old: each has a code of its own. */
    series: integer('series').notNull(),
    /** Version of the master secret that the code is derived from. */
    secret_version: integer('secret_version').notNull().default(1),
    number_sealed: bytea('number_sealed').notNull(),
    number_blind: bytea('number_blind').notNull(),
    sends: integer('sends').notNull(),
    /** Which request the last send was for: repeated after a crash it is the same send. */
    send_id: text('send_id'),
    guesses: integer('guesses').notNull().default(0),
    sent_at: instant('sent_at').notNull(),
    expires_at: instant('expires_at').notNull(),
    /** The latest of its sends of which anything is known. */
    delivery_send: integer('delivery_send'),
    delivery: text('delivery').$type<CodeDelivery>(),
    /** Why it did not arrive. */
    delivery_reason: text('delivery_reason'),
  },
  (table) => [primaryKey({ columns: [table.link_session_id, table.series] })],
);

/**
 * Codes that were sent and codes that were typed rightly, by where the numbers are: a country for
 * one account, or the million numbers that share all but the last six digits, for all.
 */
export const smsRoutes = pgTable(
  'sms_routes',
  {
    /** `account:7:country:DE`, `prefix:+4916012`. */
    route: text('route').notNull(),
    /** The beginning of ten minutes. */
    begins_at: instant('begins_at').notNull(),
    sent: integer('sent').notNull().default(0),
    verified: integer('verified').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.route, table.begins_at] }),
    index('sms_routes_age').on(table.begins_at),
  ],
);

/** Routes that get no codes, since hardly anybody typed those that were sent. */
export const smsStops = pgTable('sms_stops', {
  route: text('route').primaryKey(),
  stopped_at: instant('stopped_at').notNull(),
  ends_at: instant('ends_at').notNull(),
  /** What was counted when it was stopped. */
  sent: integer('sent').notNull(),
  verified: integer('verified').notNull(),
});
