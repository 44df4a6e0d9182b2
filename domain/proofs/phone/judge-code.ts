import type { ProofReason } from '../reasons.ts';
import { isCode } from './code.ts';

/** What the server knows of the code it sent, at the moment a guess is judged. */
export interface SentCode {
  /** The derived code, six digits. */
  readonly expected: string;
  readonly expiresAt: Date;
  /** Which guess this is, from 1; null when all were used up before. */
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

/** Guesses one code takes before it is dead (NIST SP 800-63B-4 §3.1.3 asks for a limit). */
export const guessesMax = 5;

/** Whether a code still counts; one that ends now does not. */
export const isCodeLive = (expiresAt: Date, now: Date): boolean =>
  expiresAt.getTime() > now.getTime();

/**
 * Judges one guess. The caller has counted it, under a lock, before it asks.
 * Answers for every value, whatever its type; throws nothing.
 * @param sent null when no code was ever sent for the session
 * @param offered what was handed in, untouched
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
