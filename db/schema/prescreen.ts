import { accounts } from './accounts.ts';
import { instant } from './columns.ts';
import { bigint, boolean, date, integer, jsonb, pgTable, primaryKey, text } from './drizzle.ts';

/** Progress of the prescreening rollup of an account: a position in its event stream. */
export const prescreenRollups = pgTable('prescreen_rollups', {
  account_id: integer('account_id')
    .primaryKey()
    .references(() => accounts.account_id),
  account_seq: bigint('account_seq', { mode: 'number' }).notNull(),
  /** The instant for which its days are complete; null until the first rollup is complete. */
  refreshed_at: instant('refreshed_at'),
});

/** Counts of the prescreening checks created on one UTC day. No personal data. */
export const prescreenDays = pgTable(
  'prescreen_days',
  {
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    livemode: boolean('livemode').notNull(),
    /** One posting; empty for the total. */
    job_id: text('job_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    /** Numbers by counter name. */
    counts: jsonb('counts').$type<Record<string, number>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.livemode, table.job_id, table.day] })],
);
