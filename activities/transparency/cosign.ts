import type { Queryable } from '../../db/client.ts';
import {
  addCosignature,
  findCosigned,
  logSize,
  type CheckpointRow,
} from '../../db/queries/transparency.ts';
import { consistencyRanges } from '../../domain/transparency/merkle.ts';
import { signerOf } from '../../domain/transparency/note.ts';
import { requestCosignature, type WitnessAnswer } from './request-cosignature.ts';
import { rangeHashes } from './public-log.ts';
import type { Witness } from './witnesses.ts';

export interface CosignDeps {
  readonly db: Queryable;
  readonly clock: () => Date;
}

/**
 * `cosigned`: the witness has signed the checkpoint, or a later one for another worker; `outrun`:
 * it knows a later one that this log reaches, so that the newest is to be shown; `ahead`: it has
 * signed a longer tree of this log than there is.
 */
export type Cosigned = 'cosigned' | 'outrun' | 'ahead' | 'refused';

/**
 * Has a witness sign a checkpoint, and keeps its signature beside it. Which size it knows is what
 * was kept of it last; where it knows another one, it is shown the way from that.
 * @throws Failure `dependency_unavailable` where it says nothing in time
 */
export async function cosign(
  { db, clock }: CosignDeps,
  witness: Witness,
  { signed_by, size, note }: Pick<CheckpointRow, 'signed_by' | 'size' | 'note'>,
): Promise<Cosigned> {
  const name = signerOf(witness.key);
  const last = (await findCosigned(db, signed_by, name)) ?? 0;
  if (last >= size) return 'cosigned';
  const ask = async (oldSize: number): Promise<WitnessAnswer> =>
    requestCosignature(witness, {
      oldSize,
      proof: await rangeHashes(db, consistencyRanges(oldSize, size)),
      note,
    });
  const first = await ask(last);
  if (first.kind === 'knows' && first.size > size) {
    // Another worker may have shown it more since: what is kept is read only after its answer.
    if (((await findCosigned(db, signed_by, name)) ?? 0) >= size) return 'cosigned';
    return (await logSize(db)) >= first.size ? 'outrun' : 'ahead';
  }
  const answer = first.kind === 'knows' ? await ask(first.size) : first;
  if (answer.kind !== 'cosigned') return 'refused';
  await addCosignature(db, [signed_by, size, name, answer.line, clock()]);
  return 'cosigned';
}
