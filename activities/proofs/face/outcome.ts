import type { ProofReason } from '../../../domain/proofs/reasons.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';
import type { ProofResult } from '../judge.ts';

/** What nothing else handed in mends: it is somebody else. */
const final: ReadonlySet<ProofReason | null> = new Set(['face_mismatch']);

/** What a verdict on a face comes to, whoever looked at it. */
export function outcomeOf(verdict: Verdict, provider: string): ProofResult {
  const { reason_code, verdict: outcome } = verdict;
  const common = { reason_code, provider, verdict, retryable: false };
  if (outcome === 'inconclusive') return { ...common, outcome: 'unsure' };
  if (outcome === 'passed') return { ...common, outcome: 'passed' };
  return { ...common, outcome: 'rejected', retryable: !final.has(reason_code) };
}

/** A face that could not be looked at. */
export const refusedFace = (reason_code: ProofReason, provider: string): ProofResult => ({
  outcome: 'rejected',
  reason_code,
  retryable: !final.has(reason_code),
  provider,
});
