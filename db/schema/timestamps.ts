import { bytea, instant } from './columns.ts';
import { pgTable, text } from './drizzle.ts';

/**
 * Every time stamp that our authority signed or was about to sign, for callers and for our
 * affidavits. The serial is stored before signing, so none is issued twice (RFC 3161 §2.4.2). It
 * also identifies a token as ours. Rows are only added: a trigger rejects everything else.
 */
export const timestamps = pgTable('timestamps', {
  /** Hex. */
  serial: text('serial').primaryKey(),
  /** Serial of the authority's certificate. */
  tsa_serial: text('tsa_serial').notNull(),
  /** The hash that is stamped. */
  imprint: bytea('imprint').notNull(),
  created_at: instant('created_at').notNull(),
});
