import type { ProofReason } from '../../../domain/proofs/reasons.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';
import type { ProofResult } from '../judge.ts';

/** Reasons that another attempt cannot fix: it is another person. */
const final: ReadonlySet<ProofReason | null> = new Set(['face_mismatch']);

/** Returns the result for a verdict on a face, from any provider. */
export function outcomeOf(verdict: Verdict, provider: string): ProofResult {
  const { reason_code, verdict: outcome } = verdict;
  const common = { reason_code, provider, verdict, retryable: false };
  if (outcome === 'inconclusive') return { ...common, outcome: 'unsure' };
  if (outcome === 'passed') return { ...common, outcome: 'passed' };
  return { ...common, outcome: 'rejected', retryable: !final.has(reason_code) };
}

/** Returns the result for a face that could not be judged. */
export const refusedFace = (reason_code: ProofReason, provider: string): ProofResult => ({
  outcome: 'rejected',
  reason_code,
  retryable: !final.has(reason_code),
  provider,
});
