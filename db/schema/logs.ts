import { logSources } from '../../domain/names.ts';
import { accounts } from './accounts.ts';
import { instant } from './columns.ts';
import { bigint, index, integer, pgEnum, pgTable, primaryKey, text } from './drizzle.ts';

export const logSource = pgEnum('log_source', logSources);

/**
 * Search index of an account's log: one narrow row per meeting and per check, maintained by
 * triggers on those tables. The index of this table covers every column and is the only access
 * path. A search therefore reads neither the wide rows nor rows of other accounts.
 */
export const logEntries = pgTable(
  'log_entries',
  {
    account_id: integer('account_id').notNull(),
    source: logSource('source').notNull(),
    at: instant('at').notNull(),
    id: text('id').notNull(),
    /** Checks only. */
    app_id: text('app_id'),
    link_uuid: text('link_uuid').notNull(),
    /** Topic and organization of a meeting, in lower case, at most 256 characters. */
    title: text('title'),
    detail: text('detail'),
    /** Checks only: word digests of title and reference, separated by spaces. */
    words: text('words'),
  },
  (table) => [
    index('log_entries_stream').on(
      table.account_id,
      table.source,
      table.at,
      table.id,
      table.app_id,
      table.link_uuid,
      table.title,
      table.detail,
      table.words,
    ),
  ],
);

/**
 * Number of log entries: the sum over a few rows. Triggers of `log_entries` maintain it in the same
 * transaction. Each writer takes a row that is not locked, or adds one, so writers never wait for
 * each other.
 */
export const logTotals = pgTable(
  'log_totals',
  {
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    source: logSource('source').notNull(),
    /** Empty for meetings. */
    app_id: text('app_id').notNull(),
    slot: bigint('slot', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    entries: bigint('entries', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.source, table.app_id, table.slot] })],
);
