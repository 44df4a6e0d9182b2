import { accounts } from './accounts.ts';
import { bytea, instant } from './columns.ts';
import { bigint, index, integer, jsonb, pgTable, primaryKey, sql, text } from './drizzle.ts';

/**
 * The last row of each account's audit log. Its row lock makes a chain gap-free. What checkpoints
 * it has is a note alone: they are believed as they lie in the object store.
 */
export const auditHeads = pgTable(
  'audit_heads',
  {
    account_id: integer('account_id')
      .primaryKey()
      .references(() => accounts.account_id),
    seq: bigint('seq', { mode: 'number' }).notNull(),
    hash: bytea('hash').notNull(),
    /** How many checkpoints were made of it; the last of them lies under this number. */
    checkpoints: bigint('checkpoints', { mode: 'number' }).notNull().default(0),
    /** The row the last of them is of. */
    checkpoint_seq: bigint('checkpoint_seq', { mode: 'number' }).notNull().default(0),
  },
  (table) => [
    index('audit_heads_moved')
      .on(table.account_id)
      .where(sql`seq <> checkpoint_seq`),
  ],
);

/**
 * Who changed what of an account: ids, roles and settings, never a secret or a person's data. Rows
 * are added only (a trigger refuses all else), and each hash covers the one before.
 */
export const auditRows = pgTable(
  'audit_rows',
  {
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    /** From 1, without a gap. */
    seq: bigint('seq', { mode: 'number' }).notNull(),
    action: text('action').notNull(),
    /** The key or the person; `operator` for the command line. */
    actor: text('actor').notNull(),
    object_id: text('object_id').notNull(),
    details: jsonb('details').$type<Record<string, unknown>>().notNull(),
    previous_hash: bytea('previous_hash').notNull(),
    hash: bytea('hash').notNull(),
    created_at: instant('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.seq] })],
);
