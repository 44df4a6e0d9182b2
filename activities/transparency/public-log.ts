import type { Queryable } from '../../db/client.ts';
import {
  addLogCheckpoint,
  findLogCheckpoint,
  findWitnessed,
  listCosignatures,
  logSize,
  readLogNodes,
  type CheckpointRow,
} from '../../db/queries/transparency.ts';
import { signLogCheckpoint } from '../../domain/transparency/checkpoint.ts';
import { openCheckpoint } from '../../domain/transparency/judge-proof.ts';
import type { LogSigner } from '../../domain/transparency/log-signer.ts';
import {
  emptyRoot,
  joinHashes,
  placesOf,
  type Range,
  type TreeHead,
} from '../../domain/transparency/merkle.ts';
import { signerOf, type NoteKey } from '../../domain/transparency/note.ts';
import { Failure } from '../../workflows/failures.ts';
import { singleFlight } from '../runtime/single-flight.ts';
import { layOutside, readOutside, type OutsideStore } from './outside.ts';

export interface PublicLogDeps {
  readonly db: Queryable;
  readonly store: OutsideStore;
  readonly logSigner: LogSigner;
  readonly clock: () => Date;
  /** Number of witnesses that must sign the checkpoint of a proof. */
  readonly witnessesWanted: number;
  /** Witnesses that count for it: a former one must not replace a current one. */
  readonly witnesses?: readonly { readonly key: NoteKey }[] | undefined;
}

/** The public log of a process, with its one key. */
export interface PublicLog {
  /** The key that verifies its checkpoints. */
  readonly key: NoteKey;
  /** RFC 7638 thumbprint of the key. */
  readonly kid: string;
  /**
   * Returns the newest checkpoint, and signs a new one if the log has grown. There is one
   * checkpoint per size, for all callers. It is stored outside of the database before it is
   * returned.
   * @throws Failure `dependency_unavailable` when the store does not answer. Also when the log does
   * not continue from a signed checkpoint; nothing is signed then.
   */
  newest(): Promise<CheckpointRow>;
  /**
   * Returns a checkpoint that covers the entry of that index, which must be in the log: the newest
   * one that enough witnesses have signed, or else the newest one. Throws like `newest`.
   */
  covering(index: number): Promise<CheckpointRow>;
  /** Returns a checkpoint as it is published, with the signatures of witnesses. */
  noteOf(row: CheckpointRow): Promise<string>;
  /** Returns the size that enough witnesses have signed; null where none are wanted. */
  witnessedSize(): Promise<number | null>;
  /**
   * Looks outside of the database for checkpoints that the database lacks, as it does after a
   * restored backup. Call it at startup. Throws like `newest`.
   */
  look(): Promise<void>;
  /** Returns why nothing is signed, as last found; null while the log is intact. */
  fault(): string | null;
}

export function createPublicLog(deps: PublicLogDeps): PublicLog {
  const { db, logSigner, witnessesWanted, witnesses = [] } = deps;
  const signedBy = signerOf(logSigner.key);
  const of = witnesses.map(({ key }) => signerOf(key));
  let fault: string | null = null;
  const noted = async <T>(work: Promise<T>): Promise<T> => {
    try {
      const done = await work;
      fault = null;
      return done;
    } catch (error) {
      if (error instanceof Failure && error.cause === broken) fault = error.message;
      throw error;
    }
  };
  const goOnOnce = singleFlight(() => noted(goOn(deps, signedBy)));
  const newest = async (): Promise<CheckpointRow> => {
    const last = await findLogCheckpoint(db, signedBy);
    if (fault !== null || last?.size !== (await logSize(db))) return goOnOnce();
    return last;
  };
  const witnessed = (over: number) =>
    findWitnessed(db, { signedBy, over, wanted: witnessesWanted, of });
  return {
    key: logSigner.key,
    kid: logSigner.kid,
    newest,
    async covering(index) {
      const seen = witnessesWanted > 0 ? await witnessed(index) : null;
      if (seen) return seen;
      const found = await newest();
      // A run that was already in progress may not cover the entry.
      return found.size > index ? found : newest();
    },
    noteOf: async (row) => row.note + (await listCosignatures(db, row)).join(''),
    witnessedSize: async () => (witnessesWanted > 0 ? ((await witnessed(0))?.size ?? 0) : null),
    look: () => noted(lookOutside(deps, signedBy)),
    fault: () => fault,
  };
}

/** Returns the hash over a range of leaves, computed from stored subtrees. */
export async function rangeHash(on: Queryable, range: Range): Promise<Buffer> {
  return joinHashes(await readLogNodes(on, placesOf(range)));
}

/** Returns the hashes over several ranges of leaves, in one query. */
export async function rangeHashes(on: Queryable, ranges: readonly Range[]): Promise<Buffer[]> {
  const places = ranges.map(placesOf);
  const hashes = await readLogNodes(on, places.flat());
  let from = 0;
  return places.map(({ length }) => joinHashes(hashes.slice(from, (from += length))));
}

/** Maximum attempts to sign the newest size. Each ends early only if another process is first. */
const attemptsMax = 5;

/**
 * Signs a checkpoint if the log continues from its last one: a signature must not hide rewritten
 * entries. A process can die after it wrote to the store and before it wrote the row. The next one
 * then adopts the checkpoints in the store. After a restored backup, the store can be several
 * checkpoints ahead of the database.
 */
async function goOn(deps: PublicLogDeps, signedBy: string): Promise<CheckpointRow> {
  const { db, store, logSigner, clock } = deps;
  for (let attempt = 1; ; attempt += 1) {
    const last = await findLogCheckpoint(db, signedBy);
    const size = await logSize(db);
    if (last) await assertLeavesStored(db, last, size);
    if (last?.size === size) {
      await keepOutside(deps, signedBy, last);
      return last;
    }
    const head = { size, root: await rootOf(db, size) };
    const note = await signLogCheckpoint(logSigner, head);
    const number = (last?.number ?? 0) + 1;
    const laid = await layOutside(store, signedBy, number, note);
    const row = await keep(deps, { signedBy, number, note: laid }, clock());
    if (laid === note) return row;
    await keepOutside(deps, signedBy, row);
    if (attempt === attemptsMax) return row;
  }
}

async function lookOutside(deps: PublicLogDeps, signedBy: string): Promise<void> {
  const last = await findLogCheckpoint(deps.db, signedBy);
  if (last) await assertLeavesStored(deps.db, last, await logSize(deps.db));
  await keepOutside(deps, signedBy, last);
}

/** Adopts all checkpoints outside after `last`; with null, all of them. */
async function keepOutside(
  deps: PublicLogDeps,
  signedBy: string,
  last: CheckpointRow | null,
): Promise<void> {
  for (let number = (last?.number ?? 0) + 1; ; number += 1) {
    const note = await readOutside(deps.store, signedBy, number);
    if (note === null) return;
    await keep(deps, { signedBy, number, note }, deps.clock());
  }
}

interface Laid {
  readonly signedBy: string;
  readonly number: number;
  readonly note: string;
}

/** Records a checkpoint from outside, once it is verified against this log. */
async function keep(
  { db, logSigner }: PublicLogDeps,
  { signedBy, number, note }: Laid,
  now: Date,
): Promise<CheckpointRow> {
  const head = openCheckpoint(note, logSigner.key);
  if (!head) throw refusal('what lies in the store under the next number is no checkpoint');
  await assertLeavesStored(db, head, await logSize(db));
  const { size, root } = head;
  const row = { signed_by: signedBy, size, number, root, note, created_at: now };
  await addLogCheckpoint(db, row);
  return row;
}

/** Throws unless the log begins with the tree of the checkpoint. */
async function assertLeavesStored(db: Queryable, signed: TreeHead, size: number): Promise<void> {
  if (signed.size > size) throw refusal('the log is shorter than a checkpoint it has signed');
  const root = await rootOf(db, signed.size);
  if (!root.equals(signed.root)) throw refusal('the log does not go on from its last checkpoint');
}

const rootOf = async (on: Queryable, size: number): Promise<Buffer> =>
  size === 0 ? emptyRoot : rangeHash(on, { start: 0, end: size });

const broken = new Error('the public log is signed no more; see docs/protocols/log.md');

const refusal = (detail: string): Failure =>
  new Failure('dependency_unavailable', { detail, cause: broken });
