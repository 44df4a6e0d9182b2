import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { and, getTableColumns, gte, lt } from '../schema/drizzle.ts';
import { transparencyCheckpoints, transparencyEntries } from '../schema/transparency.ts';

export type CheckpointRow = typeof transparencyCheckpoints.$inferSelect;

const { affidavit_id, entry, index } = transparencyEntries;

/** NOTIFY channel for new log entries. */
export const transparencyChannel = 'transparency';

/** Advisory lock of writers, held until the transaction ends. */
const appendLock = 7_341_902_119;

interface Sized {
  readonly size: number;
}
interface LogPlace {
  readonly index: number;
  readonly entry: string;
}
interface NodeRow {
  readonly level: number;
  readonly index: number;
  readonly hash: Buffer;
}

const lock = statement('transparency.lock', 'SELECT pg_advisory_xact_lock(:appendLock)');
const size = statement<Sized>(
  'transparency.size',
  'SELECT coalesce(max(index) + 1, 0)::bigint AS size FROM transparency_entries',
);
const known = prepare('transparency.known', { affidavit_id }, ({ equals }) =>
  build.select({ index, entry }).from(transparencyEntries).where(equals.affidavit_id),
);
const insert = statement(
  'transparency.insert',
  `WITH entry AS (
     INSERT INTO transparency_entries (index, affidavit_id, entry, created_at)
     VALUES (:index, :affidavitId, :entry, :now)
   ), nodes AS (
     INSERT INTO transparency_nodes (level, index, hash)
     SELECT * FROM unnest(:levels::int[], :indexes::bigint[], :hashes::bytea[])
   )
   SELECT pg_notify('${transparencyChannel}', '')`,
);
const nodes = statement<NodeRow>(
  'transparency.nodes',
  `SELECT n.level, n.index, n.hash FROM transparency_nodes n
   JOIN unnest(:levels::int[], :indexes::bigint[]) AS asked (level, index) USING (level, index)`,
);
const entries = prepare('transparency.entries', { index, to: index }, ({ by }) =>
  build
    .select({ entry })
    .from(transparencyEntries)
    .where(and(gte(index, by.index), lt(index, by.to)))
    .orderBy(index),
);
const last = statement<CheckpointRow>(
  'transparency.last_checkpoint',
  'SELECT * FROM transparency_checkpoints WHERE signed_by = :signedBy ORDER BY size DESC LIMIT 1',
);

const addCheckpoint = prepare(
  'transparency.add_checkpoint',
  getTableColumns(transparencyCheckpoints),
  ({ by }) => build.insert(transparencyCheckpoints).values(by).onConflictDoNothing(),
);

/** Stores a signed checkpoint. An existing one of the same size stays. */
export async function addLogCheckpoint(on: Queryable, row: CheckpointRow): Promise<void> {
  const { signed_by, size: ofSize, number, root, note, created_at } = row;
  await addCheckpoint(on, { signed_by, size: ofSize, number, root, note, created_at });
}

/** Stores a witness signature of a checkpoint. Values: signer, size, witness, line, time. */
export const addCosignature = statement(
  'transparency.add_cosignature',
  `INSERT INTO transparency_cosignatures (signed_by, size, witness, line, created_at)
   VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
);
const cosigned = statement<Sized>(
  'transparency.cosigned',
  `SELECT max(size) AS size FROM transparency_cosignatures
   WHERE signed_by = :signedBy AND witness = :witness HAVING max(size) IS NOT NULL`,
);
const cosignatures = statement<{ readonly line: string }>(
  'transparency.cosignatures',
  `SELECT line FROM transparency_cosignatures
   WHERE signed_by = :signed_by AND size = :ofSize ORDER BY witness`,
);
const witnessed = statement<CheckpointRow>(
  'transparency.witnessed',
  `SELECT * FROM transparency_checkpoints WHERE signed_by = :signedBy AND size = (
     SELECT size FROM transparency_cosignatures
     WHERE signed_by = :signedBy AND size > :over AND witness = ANY(:of)
     GROUP BY size HAVING count(*) >= :wanted ORDER BY size DESC LIMIT 1)`,
);

/** Returns the size of the newest checkpoint that a witness has signed; null if there is none. */
export async function findCosigned(
  on: Queryable,
  signedBy: string,
  witness: string,
): Promise<number | null> {
  return firstOf(await cosigned(on, { signedBy, witness }))?.size ?? null;
}

/** Returns the signature lines of witnesses on a checkpoint. */
export async function listCosignatures(
  on: Queryable,
  { signed_by, size: ofSize }: Pick<CheckpointRow, 'signed_by' | 'size'>,
): Promise<string[]> {
  return (await cosignatures(on, { signed_by, ofSize })).map(({ line }) => line);
}

/** Returns the newest checkpoint over a size that enough of these witnesses have signed. */
export async function findWitnessed(
  on: Queryable,
  asked: {
    readonly signedBy: string;
    readonly over: number;
    readonly wanted: number;
    /** Names of the witnesses, with their key ids. */
    readonly of: readonly string[];
  },
): Promise<CheckpointRow | null> {
  return firstOf(await witnessed(on, asked));
}

/** Locks the log for appending and returns its size. */
export async function lockLog(tx: Tx): Promise<number> {
  await lock(tx, { appendLock });
  return logSize(tx);
}

/** Returns the number of log entries. */
export async function logSize(on: Queryable): Promise<number> {
  return firstOf(await size(on, []))?.size ?? 0;
}

/** Returns the position and the text of an affidavit's log entry; null if it has none. */
export async function findLogEntry(on: Queryable, affidavitId: string): Promise<LogPlace | null> {
  return firstOf(await known(on, { affidavit_id: affidavitId }));
}

export interface NewLogEntry {
  readonly index: number;
  readonly affidavitId: string;
  readonly entry: string;
  /** Subtrees that the entry completes. */
  readonly nodes: readonly NodeRow[];
}

/** Adds an entry with the subtrees it completes. The caller holds the lock of the log. */
export async function insertLogEntry(tx: Tx, added: NewLogEntry, now: Date): Promise<void> {
  const { index, affidavitId, entry } = added;
  await insert(tx, {
    index,
    affidavitId,
    entry,
    now,
    levels: added.nodes.map(({ level }) => level),
    indexes: added.nodes.map((node) => node.index),
    hashes: added.nodes.map(({ hash }) => hash),
  });
}

/**
 * Returns the hashes of subtrees, in the requested order.
 * @throws if the log lacks one
 */
export async function readLogNodes(
  on: Queryable,
  places: readonly Pick<NodeRow, 'level' | 'index'>[],
): Promise<Buffer[]> {
  if (places.length === 0) return [];
  const levels = places.map(({ level }) => level);
  const rows = await nodes(on, { levels, indexes: places.map((at) => at.index) });
  const found = new Map(rows.map(({ level, index, hash }) => [`${level}/${index}`, hash]));
  return places.map(({ level, index }) => {
    const hash = found.get(`${level}/${index}`);
    if (!hash) throw new Error(`the log lacks its subtree ${level}/${index}`);
    return hash;
  });
}

/** Returns the texts of the entries `from` (inclusive) to `to` (exclusive). */
export async function readLogEntries(on: Queryable, from: number, to: number): Promise<string[]> {
  return (await entries(on, { index: from, to })).map(({ entry }) => entry);
}

/** Returns the newest checkpoint of a key; null before the first. */
export async function findLogCheckpoint(
  on: Queryable,
  signedBy: string,
): Promise<CheckpointRow | null> {
  return firstOf(await last(on, { signedBy }));
}
