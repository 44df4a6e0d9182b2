/** The proof types of the interface (§1) and the states each of them moves through. */
export const proofTypes = ['biometric', 'document', 'phone', 'device', 'nfc_passport'] as const;
export type ProofType = (typeof proofTypes)[number];

/** Those that have a judge: a link can ask for these and no others. */
export const servedProofs = [
  'phone',
  'device',
  'nfc_passport',
  'document',
  'biometric',
] as const satisfies ProofType[];
export type ServedProof = (typeof servedProofs)[number];

/** Whether only an attested phone can yield the proof. */
export const needsDevice = (type: string): boolean => type === 'device' || type === 'nfc_passport';

/** Those that show whose face it is, the one a State has signed first. */
const portraitProofs = ['nfc_passport', 'document'] as const satisfies ServedProof[];

/** Of the proofs of a check the one whose portrait a face is held against, if any has one. */
export function portraitProofOf(
  types: readonly string[],
): (typeof portraitProofs)[number] | undefined {
  return portraitProofs.find((type) => types.includes(type));
}

/** Whether a face among these proofs has a portrait to be held against. */
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

/** The reason of a proof that the person asked to be reviewed: kept when a reviewer accepts it. */
export const reviewRequested = 'review_requested';

/** Whether a proof was accepted on evidence, by the service or, in doubt, by a reviewer. */
export const isProven = (proof: {
  readonly status: string;
  readonly reason_code: string | null;
}): boolean => proof.status === 'passed' && proof.reason_code !== reviewRequested;
