import { integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';
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
    /** Rises when the number changes: another number gets another code. */
    series: integer('series').notNull(),
    number_sealed: bytea('number_sealed').notNull(),
    number_blind: bytea('number_blind').notNull(),
    sends: integer('sends').notNull(),
    /** Which request the last send was for: repeated after a crash it is the same send. */
    send_id: text('send_id'),
    guesses: integer('guesses').notNull().default(0),
    sent_at: instant('sent_at').notNull(),
    expires_at: instant('expires_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.link_session_id, table.series] })],
);
