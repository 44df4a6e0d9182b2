/** Proof types of the API (§1). */
export const proofTypes = ['biometric', 'document', 'phone', 'device', 'nfc_passport'] as const;
export type ProofType = (typeof proofTypes)[number];

/** Proof types that have a judge. A link can request only these. */
export const servedProofs = [
  'phone',
  'device',
  'nfc_passport',
  'document',
  'biometric',
] as const satisfies ProofType[];
export type ServedProof = (typeof servedProofs)[number];

/** Whether the proof requires an attested phone. */
export const needsDevice = (type: string): boolean => type === 'device' || type === 'nfc_passport';

/** Proof types that carry a portrait, in order of preference: the state-signed one first. */
const portraitProofs = ['nfc_passport', 'document'] as const satisfies ServedProof[];

/**
 * Returns the proof type among these that provides the portrait for the face comparison, if any.
 */
export function portraitProofOf(
  types: readonly string[],
): (typeof portraitProofs)[number] | undefined {
  return portraitProofs.find((type) => types.includes(type));
}

/** Whether these proofs include a portrait for the face comparison, if they include a face. */
export const isFaceComparable = (types: readonly string[]): boolean =>
  !types.includes('biometric') || portraitProofOf(types) !== undefined;

export const proofStates = [
  'waiting_for_prerequisite',
  'ready',
  'collecting',
  'submitted',
  'processing',
  'passed',
  'failed',
  'requires_retry',
  'in_review',
  'not_applicable',
  'skipped',
  'expired',
  'canceled',
] as const;
export type ProofState = (typeof proofStates)[number];

/** Whether the person can submit the proof now. */
export const awaitsSubmission = ({ status }: { readonly status: ProofState }): boolean =>
  status === 'ready' || status === 'requires_retry';

export const proofFinalStates: readonly ProofState[] = [
  'passed',
  'failed',
  'not_applicable',
  'skipped',
  'expired',
  'canceled',
];

/**
 * Reason code of a proof that the person sent to review. It stays when a reviewer accepts the
 * proof.
 */
export const reviewRequested = 'review_requested';

/** Whether a proof was accepted on evidence, by the service or, in doubt, by a reviewer. */
export const isProven = (proof: {
  readonly status: string;
  readonly reason_code: string | null;
}): boolean => proof.status === 'passed' && proof.reason_code !== reviewRequested;
