import type { Queryable } from '../../db/client.ts';
import { findLogIndex, readLogNodes } from '../../db/queries/transparency.ts';
import { inclusionRanges, joinHashes, placesOf } from './merkle.ts';
import { encodeProof } from './proof-file.ts';
import type { PublicLog } from './public-log.ts';

export interface ProveDeps {
  readonly db: Queryable;
  readonly publicLog: Pick<PublicLog, 'covering'>;
}

/**
 * The proof that an affidavit is in the log, under a checkpoint that is signed before it is given
 * out; null where it is not in there. Throws what a checkpoint throws.
 */
export async function proveLogged(
  { db, publicLog }: ProveDeps,
  affidavitId: string,
): Promise<string | null> {
  const index = await findLogIndex(db, affidavitId);
  if (index === null) return null;
  const { size, note } = await publicLog.covering(index);
  const places = inclusionRanges(index, size).map(placesOf);
  const hashes = await readLogNodes(db, places.flat());
  let from = 0;
  const path = places.map(({ length }) => joinHashes(hashes.slice(from, (from += length))));
  return encodeProof({ index, path, checkpoint: note });
}
