import { accounts } from './accounts.ts';
import { bytea, instant } from './columns.ts';
import { bigint, index, integer, jsonb, pgTable, primaryKey, sql, text } from './drizzle.ts';

/**
 * Last row of each account's audit log. Its row lock keeps a chain free of gaps. The checkpoint
 * columns are only a note: verification reads the checkpoints from the object store.
 */
export const auditHeads = pgTable(
  'audit_heads',
  {
    account_id: integer('account_id')
      .primaryKey()
      .references(() => accounts.account_id),
    seq: bigint('seq', { mode: 'number' }).notNull(),
    hash: bytea('hash').notNull(),
    /** Number of checkpoints made; the last one is stored under this number. */
    checkpoints: bigint('checkpoints', { mode: 'number' }).notNull().default(0),
    /** `seq` of the row that the last checkpoint covers. */
    checkpoint_seq: bigint('checkpoint_seq', { mode: 'number' }).notNull().default(0),
  },
  (table) => [
    index('audit_heads_moved')
      .on(table.account_id)
      .where(sql`seq <> checkpoint_seq`),
  ],
);

/**
 * Audit log of an account: who changed what. It has ids, roles and settings, never a secret or
 * personal data. Rows are only added (a trigger rejects everything else). Each hash covers the
 * previous one.
 */
export const auditRows = pgTable(
  'audit_rows',
  {
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    /** Starts at 1, without gaps. */
    seq: bigint('seq', { mode: 'number' }).notNull(),
    action: text('action').notNull(),
    /** The API key or the person; `operator` for the command line. */
    actor: text('actor').notNull(),
    object_id: text('object_id').notNull(),
    details: jsonb('details').$type<Record<string, unknown>>().notNull(),
    previous_hash: bytea('previous_hash').notNull(),
    hash: bytea('hash').notNull(),
    created_at: instant('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.seq] })],
);
