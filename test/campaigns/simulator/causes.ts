import { devicePlatforms, type DevicePlatform } from '../../../domain/names.ts';
import type { ProofReason } from '../../../domain/proofs/reasons.ts';
import type { PhoneFailure } from '../../../simulator/failures/failures.ts';
import type { ServedProof } from '../../../workflows/proofs.ts';
import type { TrustCheckReason } from '../../../workflows/trust-check/state.ts';

/** The expected result of a check with one fault of the phone. */
export interface Cause {
  readonly proofs: readonly ServedProof[];
  readonly platforms: readonly DevicePlatform[];
  /** Reason of the proof or of the refused call; null when no proof is at fault. */
  readonly reason: ProofReason | null;
  readonly ends: End;
  /** Takes seconds to read pictures: only `npm run simulator` runs it. */
  readonly isDear: boolean;
}

export type End =
  | { readonly refused: string }
  | { readonly status: 'failed' | 'in_review' | 'passed'; readonly why: TrustCheckReason | null };

type More = Partial<Cause>;

/** The enrollment of such a phone is refused. */
const unenrolled = (reason: ProofReason, ...platforms: readonly DevicePlatform[]): Cause => ({
  ...usual(['device'], reason),
  platforms: platforms.length > 0 ? platforms : devicePlatforms,
  ends: { refused: 'attestation_refused' },
});

/** The signature of the phone is refused. */
const unsigned = (code: 'counter_replay' | 'device_not_paired' | 'signature_invalid'): Cause => ({
  ...unenrolled(code),
  ends: { refused: code },
});

const usual = (proofs: readonly ServedProof[], reason: ProofReason | null): Cause => ({
  proofs,
  platforms: devicePlatforms,
  reason,
  ends: { status: 'failed', why: 'proof_failed' },
  isDear: false,
});

const chip = (reason: ProofReason, more: More = {}): [Cause] => [
  { ...usual(['nfc_passport'], reason), ...more },
];
const image = (reason: ProofReason, isDear = true): [Cause] => [
  { ...usual(['document'], reason), isDear },
];
const shown = (reason: ProofReason, more: More = {}): [Cause] => [
  { ...usual(['nfc_passport', 'biometric'], reason), isDear: true, ...more },
];
const typed = (reason: ProofReason, why: TrustCheckReason): Cause => ({
  ...usual(['phone'], reason),
  ends: { status: 'failed', why },
});

const inReview: End = { status: 'in_review', why: null };

/** Every fault of the phone, and the expected result. */
export const causes: Readonly<Record<PhoneFailure, readonly Cause[]>> = {
  emulator: [unenrolled('environment_mismatch', 'ios'), unenrolled('software_key', 'android')],
  expired_certificate: [unenrolled('cert_expired', 'ios')],
  foreign_receipt: [unenrolled('receipt_invalid', 'ios')],
  foreign_root: [unenrolled('chain_untrusted', 'ios'), unenrolled('root_untrusted', 'android')],
  imported_key: [unenrolled('key_not_generated', 'android')],
  key_revoked: [unenrolled('key_revoked', 'android')],
  mixed_hardware: [unenrolled('security_level_mismatch', 'android')],
  no_purpose: [unenrolled('purpose_missing', 'android')],
  old_challenge: [unenrolled('nonce_mismatch', 'ios'), unenrolled('challenge_mismatch', 'android')],
  other_app: [unenrolled('app_id_mismatch', 'ios'), unenrolled('package_mismatch', 'android')],
  other_credential: [unenrolled('credential_id_mismatch', 'ios')],
  other_key_id: [unenrolled('key_id_mismatch', 'ios')],
  other_phone: [unsigned('device_not_paired')],
  other_public_key: [unenrolled('public_key_mismatch', 'ios')],
  other_signer: [unenrolled('signature_mismatch', 'android')],
  play_flagged: [unenrolled('device_flagged', 'android')],
  play_missing: [unenrolled('integrity_missing', 'android')],
  play_replayed: [unenrolled('request_hash_mismatch', 'android')],
  play_risk: [{ ...usual(['device'], 'device_risk'), platforms: ['android'], ends: inReview }],
  play_rooted: [unenrolled('device_integrity_missing', 'android')],
  play_stale: [unenrolled('token_stale', 'android')],
  play_testing: [unenrolled('testing_response', 'android')],
  play_unevaluated: [unenrolled('verdict_unevaluated', 'android')],
  play_unlicensed: [unenrolled('unlicensed', 'android')],
  play_unrecognized: [unenrolled('app_unrecognized', 'android')],
  replayed_counter: [{ ...unsigned('counter_replay'), platforms: ['ios'] }],
  resigned: [unenrolled('category_refused', 'ios')],
  undescribed_key: [unenrolled('extension_missing', 'android')],
  unknown_hardware: [unenrolled('security_level_low', 'android')],
  unlocked: [unenrolled('boot_unverified', 'android')],
  used_key: [unenrolled('counter_nonzero', 'ios')],
  wrong_signature: [unsigned('signature_invalid')],

  chip_garbled: chip('malformed'),
  chip_signature: chip('sod_signature_invalid'),
  chip_without_dg1: chip('dg1_missing'),
  chip_without_dg14: chip('chip_auth_unsupported'),
  chip_without_dg15: chip('aa_unsupported'),
  chip_without_face: chip('portrait_missing', { proofs: ['nfc_passport', 'biometric'] }),
  foreign_file: chip('dg_not_in_sod'),
  lookalike_csca: chip('csca_not_trusted'),
  nfc_clone: chip('aa_signature_invalid'),
  nfc_clone_ca: chip('chip_auth_invalid'),
  nfc_passive: [
    { ...usual(['nfc_passport', 'device'], null), ends: { status: 'passed', why: null } },
  ],
  nfc_silent: chip('aa_missing'),
  nfc_silent_ca: chip('chip_auth_missing'),
  other_state: chip('country_mismatch'),
  signer_expired: chip('dsc_expired'),
  signer_revoked: chip('dsc_revoked'),
  tamper: chip('dg_hash_mismatch'),
  weak_algorithm: chip('algorithm_refused'),

  document_cropped: image('cropped'),
  document_dark: image('too_dark', false),
  document_expired: [...chip('document_expired'), ...image('document_expired')],
  document_glare: image('glare'),
  document_unreadable: image('blur'),
  front_back_mismatch: image('front_back_mismatch', false),
  impossible_dates: image('fields_contradict'),
  no_document: image('no_document'),
  no_image: image('image_refused', false),
  no_print: image('unreadable'),
  one_side: image('side_missing'),
  other_name: [
    {
      ...usual(['nfc_passport', 'document'], null),
      ends: { status: 'failed', why: 'mismatch' },
    },
  ],
  unknown_state: image('country_unknown'),
  visa: image('type_refused'),
  wrong_digits: [...chip('mrz_checkdigit'), ...image('mrz_checkdigit')],

  face: shown('face_mismatch', { ends: { status: 'failed', why: 'mismatch' } }),
  face_aside: shown('face_turned'),
  face_blurred: shown('face_blurred'),
  face_bright: shown('face_bright'),
  face_cropped: shown('face_cropped'),
  face_dark: shown('face_dark'),
  face_hurried: shown('frames_untimely'),
  face_repeated: shown('frames_repeated'),
  face_small: shown('face_small'),
  face_switch: shown('identity_switch'),
  liveness: shown('challenge_failed'),
  nobody: shown('no_face'),
  portrait_empty: shown('portrait_unusable', { ends: inReview }),
  two_faces: shown('multiple_faces'),

  no_code: [typed('code_not_sent', 'max_attempts_reached')],
  slow: [typed('code_expired', 'max_attempts_reached'), ...chip('challenge_unknown')],
  wrong_code: [typed('code_wrong', 'max_attempts_reached')],
};
