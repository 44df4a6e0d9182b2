import type { ProofSubmissionRow } from '../../db/queries/proofs.ts';
import type { ProofState, ProofType } from '../../workflows/proofs.ts';
import type { LogEntry } from '../../workflows/trust-check/messages.ts';
import type { Judgement } from '../../workflows/trust-check/session.ts';

type Counted = Pick<ProofSubmissionRow, 'submission_id' | 'proof' | 'outcome'>;

/** What a step makes of a proof whose submission was judged so. */
const outcomeOf: Readonly<Partial<Record<ProofState, Judgement['outcome']>>> = {
  passed: 'passed',
  in_review: 'unsure',
  requires_retry: 'rejected',
  failed: 'rejected',
};

/**
 * Of the judged submissions of a check, oldest first, those that a step of it took, and took for
 * what they were judged: no others decide anything.
 */
export function countSubmissions<Row extends Counted>(
  log: readonly LogEntry[],
  judged: readonly Row[],
): Row[] {
  const attempts = log.filter(isAttempt);
  return judged.filter((row) => attempts.some((step) => took(step, row)));
}

/**
 * The judged submission that the last attempt at a proof took; none where nothing was judged for
 * it.
 */
export function lastSubmission<Row extends Counted>(
  log: readonly LogEntry[],
  judged: readonly Row[],
  proof: ProofType,
): Row | undefined {
  const last = log.findLast((step) => step.proof === proof && isAttempt(step));
  return last && judged.findLast((row) => took(last, row));
}

/** A review settles proofs too, and so does the failure of another: neither takes a submission. */
const isAttempt = ({ proof_from }: LogEntry): boolean => proof_from === 'processing';

function took(step: LogEntry, { submission_id, proof, outcome }: Counted): boolean {
  const judged = step.proof_to && outcomeOf[step.proof_to];
  return step.submission_id === submission_id && step.proof === proof && judged === outcome;
}
