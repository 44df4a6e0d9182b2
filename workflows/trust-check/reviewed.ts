import { reviewRequested } from '../proofs.ts';
import type { ProofSnapshot } from './messages.ts';

/**
 * Returns the change that a review makes to a proof. An approved proof keeps `review_requested`,
 * which marks it as not checked by the service.
 */
export function reviewedAs(
  decision: 'approve' | 'reject',
  { reason_code: code }: ProofSnapshot,
): Partial<ProofSnapshot> {
  if (decision === 'reject') return { status: 'failed' };
  return { status: 'passed', reason_code: code === reviewRequested ? code : null };
}
