import type { ProofSubmissionRow } from '../../db/queries/proofs.ts';
import { accountOwner, type Sealer } from '../../db/sealing/sealed.ts';

const inputContext = (submissionId: string): string => `proof_submissions|input|${submissionId}`;

/** Seals a submission: the body of the request, and its signature. */
export function sealInput(
  sealer: Pick<Sealer, 'seal'>,
  { account_id }: { readonly account_id: number },
  submissionId: string,
  input: Readonly<Record<string, unknown>>,
): Promise<Buffer> {
  return sealer.seal(accountOwner(account_id), inputContext(submissionId), JSON.stringify(input));
}

/** Returns the submission; empty once it was removed. */
export async function openInput(
  sealer: Pick<Sealer, 'open'>,
  { account_id }: { readonly account_id: number },
  { submission_id, input_sealed }: Pick<ProofSubmissionRow, 'submission_id' | 'input_sealed'>,
): Promise<Record<string, unknown>> {
  if (!input_sealed) return {};
  const context = inputContext(submission_id);
  const opened = await sealer.open(accountOwner(account_id), context, input_sealed);
  return JSON.parse(opened.toString());
}
