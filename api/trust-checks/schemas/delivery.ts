import { findPhoneCode } from '../../../db/queries/proofs.ts';
import type { TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import type { CodeDelivery } from '../../../domain/names.ts';
import type { Deps } from '../../deps.ts';

export const shownDeliveries = ['queued', 'sent', 'delivered', 'undelivered'] as const;
type ShownDelivery = (typeof shownDeliveries)[number];

const shownAs: Readonly<Record<CodeDelivery, ShownDelivery>> = {
  accepted: 'queued',
  sent: 'sent',
  undelivered: 'undelivered',
  failed: 'undelivered',
  delivered: 'delivered',
};

/**
 * Proofs as they are shown, with what became of the last message to the phone while its proof
 * collects: whoever waits for a code learns that none comes. Null before one was sent.
 */
export async function withDelivery<Proof extends { readonly type: string }>(
  { db }: Pick<Deps, 'db'>,
  session: TrustCheckRow,
  proofs: readonly Proof[],
): Promise<(Proof & { delivery?: ShownDelivery | null })[]> {
  if (session.status !== 'collecting' || !proofs.some(({ type }) => type === 'phone')) {
    return [...proofs];
  }
  const code = await findPhoneCode(db, session.link_session_id);
  // Of a message that nothing is known of yet, a word on the one before says nothing.
  const known = code && code.delivery_send === code.sends ? code.delivery : null;
  const delivery = code && (known ? shownAs[known] : 'queued');
  return proofs.map((proof) => (proof.type === 'phone' ? { ...proof, delivery } : proof));
}
