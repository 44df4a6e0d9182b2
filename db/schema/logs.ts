import { logSources } from '../../domain/names.ts';
import { accounts } from './accounts.ts';
import { instant } from './columns.ts';
import { bigint, index, integer, pgEnum, pgTable, primaryKey, text } from './drizzle.ts';

export const logSource = pgEnum('log_source', logSources);

/**
 * What the log of an account is searched in: one narrow row for each meeting and each check, kept
 * by triggers of theirs. Its index has all of it and is the only way to it, so that a search reads
 * neither the wide rows nor those of other accounts.
 */
export const logEntries = pgTable(
  'log_entries',
  {
    account_id: integer('account_id').notNull(),
    source: logSource('source').notNull(),
    at: instant('at').notNull(),
    id: text('id').notNull(),
    /** Of a check. */
    app_id: text('app_id'),
    link_uuid: text('link_uuid').notNull(),
    /** Topic and organization of a meeting: in small letters, cut at 256. */
    title: text('title'),
    detail: text('detail'),
    /** Of a check: the digests of the words of title and reference, with spaces between. */
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
 * How many entries there are: the sum over a few rows, kept by triggers of `log_entries` in the
 * transaction that writes one. Each writer takes a row that no other holds, or adds one, so that
 * nobody waits for anybody.
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
