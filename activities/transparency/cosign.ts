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
 * - `cosigned`: the witness signed the checkpoint, or a later one for another worker.
 * - `outrun`: the witness signed a later checkpoint that this log reaches, so submit the newest.
 * - `ahead`: the witness signed a larger tree of this log than exists here.
 * - `refused`: the witness did not sign.
 */
export type Cosigned = 'cosigned' | 'outrun' | 'ahead' | 'refused';

/**
 * Requests a witness's signature on a checkpoint, and stores it. The request starts from the size
 * that the witness last signed. If the witness reports another size, the request is sent again from
 * that size.
 * @throws Failure `dependency_unavailable` when there is no response in time
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
    // Another worker may have submitted a later one. So read the stored size after the answer.
    if (((await findCosigned(db, signed_by, name)) ?? 0) >= size) return 'cosigned';
    return (await logSize(db)) >= first.size ? 'outrun' : 'ahead';
  }
  const answer = first.kind === 'knows' ? await ask(first.size) : first;
  if (answer.kind !== 'cosigned') return 'refused';
  await addCosignature(db, [signed_by, size, name, answer.line, clock()]);
  return 'cosigned';
}
