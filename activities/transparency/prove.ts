import type { Queryable } from '../../db/client.ts';
import { findLogEntry } from '../../db/queries/transparency.ts';
import { inclusionRanges } from '../../domain/transparency/merkle.ts';
import { encodeProof } from '../../domain/transparency/proof-file.ts';
import { rangeHashes, type PublicLog } from './public-log.ts';

export interface ProveDeps {
  readonly db: Queryable;
  readonly publicLog: Pick<PublicLog, 'covering' | 'noteOf'>;
}

/**
 * Returns the proof that an affidavit is in the log, with a signed checkpoint; null where it is not
 * in the log.
 * @throws Failure `dependency_unavailable`, see `PublicLog.newest`
 */
export async function proveLogged(
  { db, publicLog }: ProveDeps,
  affidavitId: string,
): Promise<string | null> {
  const logged = await findLogEntry(db, affidavitId);
  if (!logged) return null;
  const { index, entry } = logged;
  const row = await publicLog.covering(index);
  const path = await rangeHashes(db, inclusionRanges(index, row.size));
  const checkpoint = await publicLog.noteOf(row);
  return encodeProof({ index, path, checkpoint, extra: Buffer.from(entry) });
}
