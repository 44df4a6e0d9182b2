import { numberContext } from '../../../activities/proofs/phone/proof.ts';
import { findPhoneCode, type PhoneCodeRow } from '../../../db/queries/proofs.ts';
import type { TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { accountOwner } from '../../../db/sealing/sealed.ts';
import type { CodeDelivery } from '../../../domain/names.ts';
import { resendAfterMs } from '../../../domain/proofs/phone/code.ts';
import { isCodeLive } from '../../../domain/proofs/phone/judge-code.ts';
import { maskPhoneNumber } from '../../../domain/proofs/phone/phone-number.ts';
import { awaitsSubmission, type ProofState } from '../../../workflows/proofs.ts';
import type { Deps } from '../../deps.ts';
import type { SentCode } from './proof-body.ts';

export const reportedDeliveries = ['queued', 'sent', 'delivered', 'undelivered'] as const;
type ReportedDelivery = (typeof reportedDeliveries)[number];

const reportedAs: Readonly<Record<CodeDelivery, ReportedDelivery>> = {
  accepted: 'queued',
  sent: 'sent',
  undelivered: 'undelivered',
  failed: 'undelivered',
  delivered: 'delivered',
};

interface CodeDeliveryFields {
  readonly delivery?: ReportedDelivery | null;
  readonly sent_code?: SentCode | null;
}

interface Read {
  readonly session: TrustCheckRow;
  readonly now: Date;
  /** Whether the caller is the person, who may have to type the code on another screen. */
  readonly isPerson: boolean;
}

/**
 * Adds the state of the last message to the `phone` proof, while its check is collecting. For the
 * person it also adds the code that can still be typed. Both are null before the first message.
 */
export async function withDelivery<
  Proof extends { readonly type: string; readonly status: ProofState },
>(
  deps: Pick<Deps, 'db' | 'sealer'>,
  { session, now, isPerson }: Read,
  proofs: readonly Proof[],
): Promise<(Proof & CodeDeliveryFields)[]> {
  if (session.status !== 'collecting' || !proofs.some(({ type }) => type === 'phone')) {
    return [...proofs];
  }
  const code = await findPhoneCode(deps.db, session.link_session_id);
  // A report about an earlier message does not apply to the latest one.
  const known = code && code.delivery_send === code.sends ? code.delivery : null;
  const delivery = code && (known ? reportedAs[known] : 'queued');
  const shown = async (proof: Proof): Promise<Proof & CodeDeliveryFields> => {
    if (proof.type !== 'phone') return proof;
    if (!isPerson) return { ...proof, delivery };
    const canBeTyped = awaitsSubmission(proof) && code !== null && isCodeLive(code.expires_at, now);
    return {
      ...proof,
      delivery,
      sent_code: canBeTyped ? await sentCode(deps, session, code) : null,
    };
  };
  return Promise.all(proofs.map(shown));
}

/** Returns a sent code in the form of the response to its sending. */
async function sentCode(
  { sealer }: Pick<Deps, 'sealer'>,
  { link_session_id: id, account_id }: TrustCheckRow,
  { series, number_sealed, sent_at, expires_at }: PhoneCodeRow,
): Promise<SentCode> {
  const number = await sealer.open(
    accountOwner(account_id),
    numberContext(id, series),
    number_sealed,
  );
  return {
    sent_to: maskPhoneNumber(number.toString()),
    expires_at: expires_at.toISOString(),
    resend_after: new Date(sent_at.getTime() + resendAfterMs).toISOString(),
  };
}
