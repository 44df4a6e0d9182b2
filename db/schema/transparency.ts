import { bytea, instant } from './columns.ts';
import { bigint, check, integer, pgTable, primaryKey, sql, text } from './drizzle.ts';

/**
 * The public log of affidavits, a leaf of its tree a row (RFC 6962 §2.1). Triggers refuse all but
 * new rows, and any that would leave a gap. The affidavit's number is for ourselves: an entry has
 * its hash alone.
 */
export const transparencyEntries = pgTable(
  'transparency_entries',
  {
    /** From 0, without a gap. */
    index: bigint('index', { mode: 'number' }).primaryKey(),
    affidavit_id: text('affidavit_id').notNull().unique('transparency_entries_affidavit'),
    /** The very text the leaf is the hash of. */
    entry: text('entry').notNull(),
    created_at: instant('created_at').notNull(),
  },
  (table) => [check('transparency_entries_bounded', sql`length(${table.entry}) <= 1000`)],
);

/** Hashes of complete subtrees: none of them ever changes. Rows are added only. */
export const transparencyNodes = pgTable(
  'transparency_nodes',
  {
    level: integer('level').notNull(),
    index: bigint('index', { mode: 'number' }).notNull(),
    hash: bytea('hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.level, table.index] })],
);

/**
 * What the log was at a size, under the signature of one key, once each. Rows are added only. Each
 * lies in the object store, too, under its number.
 */
export const transparencyCheckpoints = pgTable(
  'transparency_checkpoints',
  {
    /** The name and the id of the key: another name or key is another log. */
    signed_by: text('signed_by').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    /** From 1, without a gap. */
    number: integer('number').notNull(),
    root: bytea('root').notNull(),
    /** The signed note as it is given out. */
    note: text('note').notNull(),
    created_at: instant('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.signed_by, table.size] })],
);

/** What witnesses have signed of a checkpoint. Rows are added only. */
export const transparencyCosignatures = pgTable(
  'transparency_cosignatures',
  {
    signed_by: text('signed_by').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    /** The name and the id of its key. */
    witness: text('witness').notNull(),
    /** The line of its signature, with its newline. */
    line: text('line').notNull(),
    created_at: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.signed_by, table.size, table.witness] }),
    check('transparency_cosignatures_bounded', sql`length(${table.line}) <= 500`),
  ],
);
