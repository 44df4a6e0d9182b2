import { accounts } from './accounts.ts';
import { instant } from './columns.ts';
import { bigint, boolean, date, integer, jsonb, pgTable, primaryKey, text } from './drizzle.ts';

/** How far the prescreening of an account is rolled up: a place in its own stream of events. */
export const prescreenRollups = pgTable('prescreen_rollups', {
  account_id: integer('account_id')
    .primaryKey()
    .references(() => accounts.account_id),
  account_seq: bigint('account_seq', { mode: 'number' }).notNull(),
  /** As of when its days are; null until all there was has been rolled up once. */
  refreshed_at: instant('refreshed_at'),
});

/** The checks of prescreening that were created on one UTC day, counted. Nothing of a person. */
export const prescreenDays = pgTable(
  'prescreen_days',
  {
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    livemode: boolean('livemode').notNull(),
    /** One posting; empty for all of them together. */
    job_id: text('job_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    /** How many, by what is counted. */
    counts: jsonb('counts').$type<Record<string, number>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.livemode, table.job_id, table.day] })],
);
