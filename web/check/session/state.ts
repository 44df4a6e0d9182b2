import type { z } from 'zod';
import type { sessionBody } from '../../../api/trust-checks/schemas/schemas.ts';
import type { TrustCheckState } from '../../../workflows/trust-check/state.ts';
import type { Outcome } from '../../sdk/messages.ts';

/** A trust check as the service shows it: the only state that the page displays. */
export type CheckState = Pick<
  z.output<typeof sessionBody>,
  'link_session_id' | 'status' | 'reason_code' | 'proofs' | 'affidavit' | 'sequence'
>;
export type ShownProof = CheckState['proofs'][number];

const ended: readonly string[] = [
  'passed',
  'failed',
  'declined',
  'expired',
  'abandoned',
  'canceled',
] satisfies Outcome[];
const endedWithoutOutcome = ['expired', 'abandoned', 'canceled'];

export const isEnded = (status: TrustCheckState): boolean => ended.includes(status);
/** Whether the person is done: the check has ended, or a reviewer decides it later. */
export const isOutcome = (status: TrustCheckState): status is Outcome =>
  isEnded(status) || status === 'in_review';
/** Whether the link may be used for another check after this outcome. */
export const isRepeatable = (status: TrustCheckState): boolean =>
  endedWithoutOutcome.includes(status);
export const isBeforePairing = (status: TrustCheckState): boolean =>
  status === 'created' || status === 'opened';

/** The proofs that a browser can submit, in the order in which the page requests them. */
export const webProofs = ['phone', 'document', 'biometric'] as const;
export type WebProof = (typeof webProofs)[number];

const awaiting = ['ready', 'collecting', 'requires_retry'];

/** Returns the proof that the person can submit now; null if there is none. */
export function nextProof({ status, proofs }: CheckState): ShownProof | null {
  if (status !== 'collecting') return null;
  const open = webProofs.map((type) => proofs.find((proof) => proof.type === type));
  return open.find((proof) => proof && awaiting.includes(proof.status)) ?? null;
}

/**
 * Returns the proofs that the service is still judging. This can take longer than the submitting
 * call.
 */
export const judgedNow = ({ proofs }: CheckState): readonly ShownProof[] =>
  proofs.filter(({ status }) => status === 'processing');

/** Returns the proofs submitted between two states of one check; none if a state is missing. */
export function submittedSince(before: CheckState | null, after: CheckState | null): string[] {
  if (!before || before.link_session_id !== after?.link_session_id) return [];
  const attempts = new Map(before.proofs.map(({ type, attempt }) => [type, attempt]));
  return after.proofs
    .filter(({ type, attempt }) => attempt > (attempts.get(type) ?? attempt))
    .map(({ type }) => type);
}

/** A short code that both screens of one check display, so that a person can compare them. */
export async function pairingCodeOf(linkSessionId: string): Promise<string> {
  const bytes = new TextEncoder().encode(linkSessionId);
  const digest = new DataView(await crypto.subtle.digest('SHA-256', bytes));
  return String(digest.getUint32(0) % 10_000).padStart(4, '0');
}
