/**
 * States and transitions of the trust-check session. The SQL enum, the OpenAPI enum, the client's
 * types and the diagram in the docs are derived from this file.
 */
export const trustCheckStates = [
  'created',
  'opened',
  'paired',
  'collecting',
  'processing',
  'requires_retry',
  'in_review',
  'passed',
  'failed',
  'declined',
  'expired',
  'abandoned',
  'canceled',
] as const;
export type TrustCheckState = (typeof trustCheckStates)[number];

export const trustCheckFinalStates = [
  'passed',
  'failed',
  'declined',
  'expired',
  'abandoned',
  'canceled',
] as const satisfies readonly TrustCheckState[];

export const trustCheckMoves = [
  'open',
  'pair',
  'consent',
  'decline',
  'decide',
  'pass',
  'fail',
  'review',
  'ask_again',
  'retry',
  'expire',
  'abandon',
  'cancel',
] as const;
export type TrustCheckMove = (typeof trustCheckMoves)[number];

const unfinished: readonly TrustCheckState[] = ['opened', 'paired', 'collecting', 'requires_retry'];

interface Transition {
  readonly on: TrustCheckMove;
  readonly from: readonly TrustCheckState[];
  readonly to: TrustCheckState;
}

/** One row per transition; any other is illegal. */
export const trustCheckTransitions: readonly Transition[] = [
  { on: 'open', from: ['created'], to: 'opened' },
  { on: 'pair', from: ['opened'], to: 'paired' },
  { on: 'consent', from: ['paired'], to: 'collecting' },
  { on: 'decline', from: ['paired'], to: 'declined' },
  { on: 'decide', from: ['collecting'], to: 'processing' },
  { on: 'pass', from: ['processing', 'in_review'], to: 'passed' },
  // A revoked device fails its paired check at once, whatever was collected so far.
  {
    on: 'fail',
    from: ['paired', 'collecting', 'requires_retry', 'processing', 'in_review'],
    to: 'failed',
  },
  { on: 'review', from: ['processing'], to: 'in_review' },
  { on: 'ask_again', from: ['processing', 'in_review'], to: 'requires_retry' },
  { on: 'retry', from: ['requires_retry'], to: 'collecting' },
  { on: 'expire', from: ['created', ...unfinished], to: 'expired' },
  { on: 'abandon', from: unfinished, to: 'abandoned' },
  { on: 'cancel', from: ['created', ...unfinished, 'in_review'], to: 'canceled' },
];

/** Returns the state after a move, or null if the move is illegal. */
export function nextTrustCheckState(
  from: TrustCheckState,
  on: TrustCheckMove,
): TrustCheckState | null {
  return trustCheckTransitions.find((row) => row.on === on && row.from.includes(from))?.to ?? null;
}

export function isTrustCheckFinal(state: TrustCheckState): boolean {
  return (trustCheckFinalStates as readonly TrustCheckState[]).includes(state);
}

export const trustCheckReasons = [
  'proof_failed',
  'policy_denied',
  'mismatch',
  'consent_declined',
  'user_closed',
  'idle_timeout',
  'deadline',
  'requester_canceled',
  'link_deleted',
  'attestation_failed',
  'max_attempts_reached',
  'duplicate_subject',
  'provider_unavailable',
  'review_rejected',
] as const;
export type TrustCheckReason = (typeof trustCheckReasons)[number];
