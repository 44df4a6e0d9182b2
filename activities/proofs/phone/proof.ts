import { countGuess, lockPhoneCode } from '../../../db/queries/proofs.ts';
import { countCodeVerified } from '../../../db/queries/sms-routes.ts';
import { accountOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import { deriveCode, deriveRecordSalt } from '../../../domain/proofs/phone/code.ts';
import { guessesMax, isCodeLive, judgeCode } from '../../../domain/proofs/phone/judge-code.ts';
import { routesOf } from '../../../domain/proofs/phone/phone-number.ts';
import type { MasterSecrets } from '../../keys/directory/master-secrets.ts';
import type { ProofContext, ProofJudge, ProofResult } from '../judge.ts';

const provider = 'sms';

export interface PhoneProofDeps {
  readonly sealer: Sealer;
  readonly keys: Pick<MasterSecrets, 'secretOf'>;
}

/**
 * Judges a typed code. The judgement's transaction counts a guess before it compares it, so that at
 * most five guesses are compared, also with concurrent callers.
 */
export function createPhoneJudge(deps: PhoneProofDeps): ProofJudge {
  return {
    async judge(context) {
      const { session, tx, now, input } = context;
      const id = session.link_session_id;
      const row = await lockPhoneCode(tx, id);
      const secret = row && deps.keys.secretOf('sms-code', row.secret_version);
      // Without the secret no code is valid: a thief of the master secret could compute it.
      if (!secret) return { ...judgeCode(null, input['code'], now), provider };
      const counted = isCodeLive(row.expires_at, now)
        ? await countGuess(tx, id, row.series, guessesMax)
        : null;
      const sent = {
        expected: deriveCode(secret, id, row.series),
        expiresAt: row.expires_at,
        guess: counted?.guesses ?? null,
      };
      const judgement = judgeCode(sent, input['code'], now);
      if (judgement.outcome === 'rejected') return { ...judgement, provider };
      const number = await openNumber(deps, context, row.number_sealed, row.series);
      if (session.livemode) {
        await countCodeVerified(tx, routesOf(number, session.account_id), now);
      }
      return passed(context, number, deriveRecordSalt(secret, id, row.series));
    },
  };
}

/** Returns the sealing context of a session's phone number. */
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

function passed({ session, now }: ProofContext, phoneNumber: string, salt: Buffer): ProofResult {
  return {
    outcome: 'passed',
    reason_code: null,
    retryable: false,
    provider,
    claims: { phone_number: phoneNumber },
    evidenceFiles: [
      {
        format: 'trustcheck-evidence/1',
        kind: 'sms-code',
        at: now.toISOString(),
        input: {
          link_session_id: session.link_session_id,
          phone_number: phoneNumber,
          salt: salt.toString('base64'),
        },
      },
    ],
  };
}
