import type { TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { accountOwner } from '../../../db/sealing/sealed.ts';
import type { Deps } from '../../deps.ts';

type Sealing = Pick<Deps, 'sealer'>;

const contextOf = (linkSessionId: string): string => `trust_checks|cancel_reason|${linkSessionId}`;

/** Seals the reason of a cancellation; null without one. The workflow does not receive it. */
export async function sealCancelReason(
  { sealer }: Sealing,
  { account_id, link_session_id }: TrustCheckRow,
  reason: string | undefined,
): Promise<Buffer | null> {
  if (!reason) return null;
  return sealer.seal(accountOwner(account_id), contextOf(link_session_id), reason);
}

/** Returns the reason of a cancellation; null without one. */
export async function cancelReasonOf(
  { sealer }: Sealing,
  { account_id, link_session_id, cancel_reason_sealed: sealed }: TrustCheckRow,
): Promise<string | null> {
  if (!sealed) return null;
  const context = contextOf(link_session_id);
  return (await sealer.open(accountOwner(account_id), context, sealed)).toString();
}
