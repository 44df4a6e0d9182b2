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
  /** How many witnesses should have signed the checkpoint of a proof. */
  readonly witnessesWanted: number;
  /** Those whose signatures count for it: one that is asked no more would stand for one that is. */
  readonly witnesses?: readonly { readonly key: NoteKey }[] | undefined;
}

/** The public log of a process, under its one key. */
export interface PublicLog {
  /** What its checkpoints are verified by. */
  readonly key: NoteKey;
  /** Its RFC 7638 thumbprint. */
  readonly kid: string;
  /**
   * The newest checkpoint, a new one where the log has grown: one of a size, whoever asks. It lies
   * outside of the database before it is given out.
   * @throws Failure `dependency_unavailable` where the store does not answer, and where the log
   * does not go on from what was signed: nothing is signed then
   */
  newest(): Promise<CheckpointRow>;
  /**
   * A checkpoint with the entry of that index, which is in the log: the newest one that as many
   * witnesses as are wanted have signed; without such a one the newest. Throws the same.
   */
  covering(index: number): Promise<CheckpointRow>;
  /** A checkpoint as it is given out, with what witnesses have signed of it. */
  noteOf(row: CheckpointRow): Promise<string>;
  /** What that many witnesses have signed reaches up to here; null where none are wanted. */
  witnessedSize(): Promise<number | null>;
  /**
   * Looks for a checkpoint outside that the database does not know of, as it is at a start after a
   * backup was restored. Throws the same.
   */
  look(): Promise<void>;
  /** Why nothing is signed, as it was found last; null where there is no reason. */
  fault(): string | null;
}

/** Makes the log of one process. */
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
      // One that was under way already may not have seen the entry.
      return found.size > index ? found : newest();
    },
    noteOf: async (row) => row.note + (await listCosignatures(db, row)).join(''),
    witnessedSize: async () => (witnessesWanted > 0 ? ((await witnessed(0))?.size ?? 0) : null),
    look: () => noted(lookOutside(deps, signedBy)),
    fault: () => fault,
  };
}

/** The hash over a range of leaves, of the subtrees that are kept. */
export async function rangeHash(on: Queryable, range: Range): Promise<Buffer> {
  return joinHashes(await readLogNodes(on, placesOf(range)));
}

/** The hashes over ranges of leaves, asked for at once. */
export async function rangeHashes(on: Queryable, ranges: readonly Range[]): Promise<Buffer[]> {
  const places = ranges.map(placesOf);
  const hashes = await readLogNodes(on, places.flat());
  let from = 0;
  return places.map(({ length }) => joinHashes(hashes.slice(from, (from += length))));
}

/** Each time another process was first. */
const attemptsMax = 5;

/**
 * Signs where the log goes on from its last checkpoint: what was rewritten never gets a signature
 * that would hide it. Whoever dies between the store and the row has the next one find what lies
 * in the store, and go on from there: from the last of it, which a restored database may not reach.
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

/** Keeps all that lies outside behind a checkpoint; of none, all there is. */
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

/** Keeps what lies outside, once it is seen to be of this log. */
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

/** The log has to begin with the tree of a checkpoint. */
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
