import { reviewRequested } from '../proofs.ts';
import type { ProofSnapshot } from './messages.ts';

/** What a review changes of a proof. One of which nothing was checked says so for good. */
export function reviewedAs(
  decision: 'approve' | 'reject',
  { reason_code: code }: ProofSnapshot,
): Partial<ProofSnapshot> {
  if (decision === 'reject') return { status: 'failed' };
  return { status: 'passed', reason_code: code === reviewRequested ? code : null };
}
