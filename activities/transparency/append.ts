import type { Tx } from '../../db/client.ts';
import {
  findLogEntry,
  insertLogEntry,
  lockLog,
  readLogNodes,
} from '../../db/queries/transparency.ts';
import { entryOf, type LoggedAffidavit } from '../../domain/transparency/entry.ts';
import { completedBy, leafHash, leftOf } from '../../domain/transparency/merkle.ts';

/**
 * Adds the entry of an affidavit, or finds it, and returns its index. Call it last in the
 * transaction: it locks the log for all processes until the commit.
 */
export async function appendToLog(tx: Tx, affidavit: LoggedAffidavit, now: Date): Promise<number> {
  const index = await lockLog(tx);
  const before = await findLogEntry(tx, affidavit.affidavit_id);
  if (before) return before.index;
  const entry = entryOf(affidavit);
  const left = await readLogNodes(tx, leftOf(index));
  const nodes = completedBy(index, leafHash(entry), left);
  await insertLogEntry(tx, { index, affidavitId: affidavit.affidavit_id, entry, nodes }, now);
  return index;
}
