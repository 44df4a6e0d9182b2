import { instant } from './columns.ts';
import { integer, pgTable, text } from './drizzle.ts';

/** Versions of the master secret that others may have; processes refuse them by their ids. */
export const stolenSecrets = pgTable('stolen_secrets', {
  /** Derived from the secret, in hex. */
  secret_id: text('secret_id').primaryKey(),
  version: integer('version').notNull(),
  revoked_at: instant('revoked_at').notNull(),
  /** Since when it is not to be trusted. */
  invalidity_date: instant('invalidity_date').notNull(),
});
