import type { Queryable } from '../../db/client.ts';
import {
  addLogCheckpoint,
  findLogCheckpoint,
  logSize,
  readLogNodes,
  type CheckpointRow,
} from '../../db/queries/transparency.ts';
import { signLogCheckpoint } from './checkpoint.ts';
import type { LogSigner } from './log-signer.ts';
import { emptyRoot, joinHashes, placesOf, type Range } from './merkle.ts';

export interface LogDeps {
  readonly db: Queryable;
  readonly logSigner: LogSigner;
}

/** The hash over a range of leaves, of the subtrees that are kept. */
export async function rangeHash(on: Queryable, range: Range): Promise<Buffer> {
  return joinHashes(await readLogNodes(on, placesOf(range)));
}

/**
 * The newest checkpoint, a new one where the log has grown. Another is signed only where the log
 * goes on from the last one: what was rewritten never gets a signature that would hide it.
 * @throws where it does not
 */
export async function currentCheckpoint(deps: LogDeps, now: Date): Promise<CheckpointRow> {
  const { db, logSigner } = deps;
  const last = await findLogCheckpoint(db);
  const size = await logSize(db);
  if (last && last.size === size && isOwn(last, logSigner)) return last;
  await mustGoOn(db, last, size);
  const root = size === 0 ? emptyRoot : await rangeHash(db, { start: 0, end: size });
  const note = await signLogCheckpoint(logSigner, { size, root });
  await addLogCheckpoint(db, [size, root, note, now]);
  return { size, root, note, created_at: now };
}

/** One that was signed under another name of the log, or by another key, is not given out. */
function isOwn({ note }: CheckpointRow, { key }: LogSigner): boolean {
  return note.startsWith(`${key.name}\n`);
}

async function mustGoOn(db: Queryable, last: CheckpointRow | null, size: number): Promise<void> {
  if (!last || last.size === 0) return;
  const isGone = last.size > size;
  const root = isGone ? null : await rangeHash(db, { start: 0, end: last.size });
  if (!root?.equals(last.root)) throw new Error('the log does not go on from its last checkpoint');
}
