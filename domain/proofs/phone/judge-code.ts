import type { ProofReason } from '../reasons.ts';
import { isCode } from './code.ts';

/** The state of a sent code when a guess is judged. */
export interface SentCode {
  /** The derived code, six digits. */
  readonly expected: string;
  readonly expiresAt: Date;
  /** Number of this guess, from 1; null if all guesses are used up. */
  readonly guess: number | null;
}

export type CodeReason = Extract<
  ProofReason,
  'attempts_exhausted' | 'code_expired' | 'code_not_sent' | 'code_wrong'
>;

export type CodeJudgement =
  | { readonly outcome: 'passed'; readonly reason_code: null; readonly retryable: false }
  | {
      readonly outcome: 'rejected';
      readonly reason_code: CodeReason;
      readonly retryable: boolean;
    };

/** Guesses per code (NIST SP 800-63B-4 §3.1.3 requires a limit). */
export const guessesMax = 5;

/** Whether a code is still valid. A code that ends exactly now is not. */
export const isCodeLive = (expiresAt: Date, now: Date): boolean =>
  expiresAt.getTime() > now.getTime();

/**
 * Judges one guess. The caller counts the guess under a lock before this call. Accepts a value of
 * any type and never throws.
 * @param sent null if the session never sent a code
 * @param offered the submitted value, unchanged
 */
export function judgeCode(sent: SentCode | null, offered: unknown, now: Date): CodeJudgement {
  if (!sent) return rejected('code_not_sent', true);
  if (!isCodeLive(sent.expiresAt, now)) return rejected('code_expired', true);
  if (sent.guess === null || sent.guess > guessesMax) return rejected('attempts_exhausted', false);
  if (typeof offered === 'string' && isCode(sent.expected, offered)) {
    return { outcome: 'passed', reason_code: null, retryable: false };
  }
  return rejected('code_wrong', sent.guess < guessesMax);
}

function rejected(reason_code: CodeReason, retryable: boolean): CodeJudgement {
  return { outcome: 'rejected', reason_code, retryable };
}
