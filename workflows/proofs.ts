/** The proof types of the interface (§1) and the states each of them moves through. */
export const proofTypes = ['biometric', 'document', 'phone', 'device', 'nfc_passport'] as const;
export type ProofType = (typeof proofTypes)[number];

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

export const proofFinalStates: readonly ProofState[] = [
  'passed',
  'failed',
  'not_applicable',
  'skipped',
  'expired',
  'canceled',
];
