import { findLogIndex, readLogNodes } from '../../db/queries/transparency.ts';
import { currentCheckpoint, type LogDeps } from './keep-checkpoint.ts';
import { inclusionRanges, joinHashes, placesOf } from './merkle.ts';
import { encodeProof } from './proof-file.ts';

/**
 * The proof that an affidavit is in the log, under a checkpoint that is signed before it is given
 * out; null where it is not in there.
 */
export async function proveLogged(
  deps: LogDeps,
  affidavitId: string,
  now: Date,
): Promise<string | null> {
  const index = await findLogIndex(deps.db, affidavitId);
  if (index === null) return null;
  const { size, note } = await currentCheckpoint(deps, now);
  const places = inclusionRanges(index, size).map(placesOf);
  const hashes = await readLogNodes(deps.db, places.flat());
  let from = 0;
  const path = places.map(({ length }) => joinHashes(hashes.slice(from, (from += length))));
  return encodeProof({ index, path, checkpoint: note });
}
