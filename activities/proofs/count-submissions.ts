import type { ProofSubmissionRow } from '../../db/queries/proofs.ts';
import type { ProofState, ProofType } from '../../workflows/proofs.ts';
import type { LogEntry } from '../../workflows/trust-check/messages.ts';
import type { Judgement } from '../../workflows/trust-check/session.ts';

type Counted = Pick<ProofSubmissionRow, 'submission_id' | 'proof' | 'outcome'>;

/** The outcome of a submission that leads to each state of its proof. */
const outcomeOf: Readonly<Partial<Record<ProofState, Judgement['outcome']>>> = {
  passed: 'passed',
  in_review: 'unsure',
  requires_retry: 'rejected',
  failed: 'rejected',
};

/**
 * Returns the judged submissions of a check, oldest first, that a step of the check's log accepted
 * with the same outcome. Only these count for the decision.
 */
export function countSubmissions<Row extends Counted>(
  log: readonly LogEntry[],
  judged: readonly Row[],
): Row[] {
  const attempts = log.filter(isAttempt);
  return judged.filter((row) => attempts.some((step) => took(step, row)));
}

/**
 * Returns the judged submission that the last attempt at a proof accepted; undefined where none was
 * judged for it.
 */
export function lastSubmission<Row extends Counted>(
  log: readonly LogEntry[],
  judged: readonly Row[],
  proof: ProofType,
): Row | undefined {
  const last = log.findLast((step) => step.proof === proof && isAttempt(step));
  return last && judged.findLast((row) => took(last, row));
}

/** A review, or the failure of another proof, settles proofs too, but accepts no submission. */
const isAttempt = ({ proof_from }: LogEntry): boolean => proof_from === 'processing';

function took(step: LogEntry, { submission_id, proof, outcome }: Counted): boolean {
  const judged = step.proof_to && outcomeOf[step.proof_to];
  return step.submission_id === submission_id && step.proof === proof && judged === outcome;
}
