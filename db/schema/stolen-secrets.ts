import { instant } from './columns.ts';
import { integer, pgTable, text } from './drizzle.ts';

/** Versions of the master secret that may be stolen. Processes refuse to use them. */
export const stolenSecrets = pgTable('stolen_secrets', {
  /** Hex, derived from the secret. */
  secret_id: text('secret_id').primaryKey(),
  version: integer('version').notNull(),
  revoked_at: instant('revoked_at').notNull(),
  /** Time from which it is not trusted. */
  invalidity_date: instant('invalidity_date').notNull(),
});
