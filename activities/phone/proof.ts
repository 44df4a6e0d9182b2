import { countGuess, lockPhoneCode } from '../../db/queries/proofs.ts';
import { accountOwner, type Sealer } from '../../db/sealed.ts';
import type { ProofContext, ProofJudge, ProofResult } from '../trust-checks/proof.ts';
import { deriveCode, guessesMax, isCode } from './code.ts';

export interface PhoneProofDeps {
  readonly sealer: Sealer;
  readonly codeSecret: Uint8Array;
}

/**
 * Judges a typed code. A guess is counted before it is compared, in the transaction of the
 * judgement: at most five guesses meet the code however many callers try at once.
 */
export function createPhoneJudge(deps: PhoneProofDeps): ProofJudge {
  return {
    async judge(context) {
      const { session, tx, now, input } = context;
      const sent = await lockPhoneCode(tx, session.link_session_id);
      if (!sent) return rejected('code_not_sent', true);
      if (sent.expires_at <= now) return rejected('code_expired', true);
      const counted = await countGuess(tx, session.link_session_id, sent.series, guessesMax);
      if (!counted) return rejected('guesses_exhausted', false);
      const code = typeof input['code'] === 'string' ? input['code'] : '';
      const expected = deriveCode(deps.codeSecret, session.link_session_id, sent.series);
      if (!isCode(expected, code)) {
        return rejected('code_wrong', counted.guesses < guessesMax);
      }
      return passed(context, await openNumber(deps, context, sent.number_sealed, sent.series));
    },
  };
}

/** The context under which a session's number is sealed. */
export const numberContext = (linkSessionId: string, series: number): string =>
  `phone_codes|number|${linkSessionId}|${series}`;

async function openNumber(
  deps: PhoneProofDeps,
  { session }: ProofContext,
  sealed: Buffer,
  series: number,
): Promise<string> {
  const context = numberContext(session.link_session_id, series);
  const opened = await deps.sealer.open(accountOwner(session.account_id), context, sealed);
  return opened.toString();
}

function passed({ session, now }: ProofContext, phoneNumber: string): ProofResult {
  return {
    outcome: 'passed',
    reason_code: null,
    retryable: false,
    provider: 'sms',
    claims: { phone_number: phoneNumber },
    evidenceFiles: [
      {
        format: 'trustcheck-evidence/1',
        kind: 'sms-code',
        at: now.toISOString(),
        input: { link_session_id: session.link_session_id, phone_number: phoneNumber },
      },
    ],
  };
}

function rejected(reason_code: string, retryable: boolean): ProofResult {
  return { outcome: 'rejected', reason_code, retryable, provider: 'sms' };
}
