import { failureAnswers } from '../../api/http/problem/failure-answers.ts';
import { Failure } from '../../workflows/failures.ts';

/** Returns an error as one sentence for the person at the terminal. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isBare = error instanceof Failure && error.message === error.code;
  return isBare ? failureAnswers[error.code].title : error.message;
}
