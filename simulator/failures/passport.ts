import type { Wrong } from './failures.ts';

/** Failures of the passport's chip, or of reading it. */
export const passportFailures = {
  chip_garbled: {
    does: 'the chip was read in part',
    reasons: ['malformed'],
  },
  chip_signature: {
    does: 'the signature over the chip was changed',
    reasons: ['sod_signature_invalid'],
  },
  chip_without_dg1: {
    does: 'the holder’s data of the chip is missing',
    reasons: ['dg1_missing'],
  },
  chip_without_dg14: {
    does: 'DG14 is missing, and its key answers',
    reasons: ['chip_auth_unsupported'],
  },
  chip_without_dg15: {
    does: 'DG15 is missing, and its key answers',
    reasons: ['aa_unsupported'],
  },
  chip_without_face: {
    does: 'the requested portrait is missing',
    reasons: ['portrait_missing'],
  },
  foreign_file: {
    does: 'a file is submitted without a signature',
    reasons: ['dg_not_in_sod'],
  },
  lookalike_csca: {
    does: 'a look-alike of the State signs the chip',
    reasons: ['csca_not_trusted'],
  },
  nfc_clone: {
    does: 'the chip is a copy without the key',
    reasons: ['aa_signature_invalid'],
  },
  nfc_clone_ca: {
    does: 'a copy of a chip with key agreement only',
    reasons: ['chip_auth_invalid'],
  },
  nfc_passive: {
    does: 'the chip has no key, so may be a copy',
    reasons: [],
  },
  nfc_silent: {
    does: 'a copy that sends no answer',
    reasons: ['aa_missing'],
  },
  nfc_silent_ca: {
    does: 'the same, for a chip with key agreement only',
    reasons: ['chip_auth_missing'],
  },
  other_state: {
    does: 'the State signs a document of another',
    reasons: ['country_mismatch'],
  },
  signer_expired: {
    does: 'the signer of the passport was not valid',
    reasons: ['dsc_expired'],
  },
  signer_revoked: {
    does: 'the State has revoked the signer of the passport',
    reasons: ['dsc_revoked'],
  },
  tamper: {
    does: 'the name in the chip was changed',
    reasons: ['dg_hash_mismatch'],
  },
  weak_algorithm: {
    does: 'the passport is signed on a curve of no State',
    reasons: ['algorithm_refused'],
  },
} as const satisfies Readonly<Record<string, Wrong>>;
