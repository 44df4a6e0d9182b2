import { bytea, instant } from './columns.ts';
import { pgTable, text } from './drizzle.ts';

/**
 * Every time stamp our authority has signed or was about to, for who asked and for our affidavits:
 * its serial is stored before, so that none is given twice (RFC 3161 §2.4.2), and a token is known
 * by it as ours. Rows are added only: a trigger refuses all else.
 */
export const timestamps = pgTable('timestamps', {
  /** Hex. */
  serial: text('serial').primaryKey(),
  /** Of the authority's certificate. */
  tsa_serial: text('tsa_serial').notNull(),
  /** The hash that was stamped. */
  imprint: bytea('imprint').notNull(),
  created_at: instant('created_at').notNull(),
});
