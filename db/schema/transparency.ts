import { bytea, instant } from './columns.ts';
import { bigint, check, integer, pgTable, primaryKey, sql, text } from './drizzle.ts';

/**
 * The public log of affidavits, one row per leaf of its tree (RFC 6962 §2.1). Triggers reject
 * everything but new rows without gaps. The affidavit id is internal: an entry contains only a
 * hash.
 */
export const transparencyEntries = pgTable(
  'transparency_entries',
  {
    /** Starts at 0, without gaps. */
    index: bigint('index', { mode: 'number' }).primaryKey(),
    affidavit_id: text('affidavit_id').notNull().unique('transparency_entries_affidavit'),
    /** The exact text that the leaf hashes. */
    entry: text('entry').notNull(),
    created_at: instant('created_at').notNull(),
  },
  (table) => [check('transparency_entries_bounded', sql`length(${table.entry}) <= 1000`)],
);

/** Hashes of complete subtrees, which never change. Rows are only added. */
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
 * Signed checkpoints: one per key and size. Rows are only added. Each is also stored in the object
 * store under its number.
 */
export const transparencyCheckpoints = pgTable(
  'transparency_checkpoints',
  {
    /** Name and id of the key. Another name or key is another log. */
    signed_by: text('signed_by').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    /** Starts at 1, without gaps. */
    number: integer('number').notNull(),
    root: bytea('root').notNull(),
    /** The signed note as published. */
    note: text('note').notNull(),
    created_at: instant('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.signed_by, table.size] })],
);

/** Signatures of witnesses on a checkpoint. Rows are only added. */
export const transparencyCosignatures = pgTable(
  'transparency_cosignatures',
  {
    signed_by: text('signed_by').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    /** Name and id of the witness key. */
    witness: text('witness').notNull(),
    /** The signature line, with its newline. */
    line: text('line').notNull(),
    created_at: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.signed_by, table.size, table.witness] }),
    check('transparency_cosignatures_bounded', sql`length(${table.line}) <= 500`),
  ],
);
