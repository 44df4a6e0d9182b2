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
 * The proof that an affidavit is in the log, under a checkpoint that is signed before it is given
 * out; null where it is not in there. Throws what a checkpoint throws.
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
