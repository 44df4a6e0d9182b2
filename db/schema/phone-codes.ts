import type { CodeDelivery } from '../../domain/names.ts';
import { bytea, instant } from './columns.ts';
import { index, integer, pgTable, primaryKey, text } from './drizzle.ts';
import { trustChecks } from './trust-checks.ts';

/**
 * State of the SMS codes of a session: the number and the counters. The code is derived, never
 * stored.
 */
export const phoneCodes = pgTable(
  'phone_codes',
  {
    link_session_id: text('link_session_id')
      .notNull()
      .references(() => trustChecks.link_session_id),
    /**
     * Increases when the number changes and when the code is too old. Each series has its own code.
     */
    series: integer('series').notNull(),
    /** Version of the master secret from which the code is derived. */
    secret_version: integer('secret_version').notNull().default(1),
    number_sealed: bytea('number_sealed').notNull(),
    number_blind: bytea('number_blind').notNull(),
    sends: integer('sends').notNull(),
    /** Request of the last send. A request repeated after a crash counts as the same send. */
    send_id: text('send_id'),
    guesses: integer('guesses').notNull().default(0),
    sent_at: instant('sent_at').notNull(),
    expires_at: instant('expires_at').notNull(),
    /** The latest send with a known delivery state. */
    delivery_send: integer('delivery_send'),
    delivery: text('delivery').$type<CodeDelivery>(),
    /** Why it was not delivered. */
    delivery_reason: text('delivery_reason'),
  },
  (table) => [primaryKey({ columns: [table.link_session_id, table.series] })],
);

/**
 * Sent and verified codes by route. A route is a country within one account, or, for all accounts,
 * the block of a million numbers with the same digits except the last six.
 */
export const smsRoutes = pgTable(
  'sms_routes',
  {
    /** For example `account:7:country:DE` or `prefix:+4916012`. */
    route: text('route').notNull(),
    /** Start of a ten-minute interval. */
    begins_at: instant('begins_at').notNull(),
    sent: integer('sent').notNull().default(0),
    verified: integer('verified').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.route, table.begins_at] }),
    index('sms_routes_age').on(table.begins_at),
  ],
);

/** Routes that get no codes, because too few of the sent codes were entered. */
export const smsStops = pgTable('sms_stops', {
  route: text('route').primaryKey(),
  stopped_at: instant('stopped_at').notNull(),
  ends_at: instant('ends_at').notNull(),
  /** Counts at the time of the stop. */
  sent: integer('sent').notNull(),
  verified: integer('verified').notNull(),
});
