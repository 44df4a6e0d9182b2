import type { Wrong } from './failures.ts';

/**
 * Failures of the phone itself. They are detected at enrollment, or by a proof that the phone
 * signs.
 */
export const deviceFailures = {
  emulator: {
    does: 'not a genuine phone, refused to enroll',
    reasons: ['environment_mismatch', 'software_key'],
  },
  expired_certificate: {
    does: 'iOS: the certificate of the key has expired',
    reasons: ['cert_expired'],
    platform: 'ios',
  },
  foreign_receipt: {
    does: 'iOS: Apple’s receipt is for another app',
    reasons: ['receipt_invalid'],
    platform: 'ios',
  },
  foreign_root: {
    does: 'an untrusted root attests the key',
    reasons: ['chain_untrusted', 'root_untrusted'],
  },
  imported_key: {
    does: 'Android: the key was put into the hardware',
    reasons: ['key_not_generated'],
    platform: 'android',
  },
  key_revoked: {
    does: 'Android: Google has revoked a key of the phone',
    reasons: ['key_revoked'],
    platform: 'android',
  },
  mixed_hardware: {
    does: 'Android: key and attestation live in two places',
    reasons: ['security_level_mismatch'],
    platform: 'android',
  },
  no_purpose: {
    does: 'Android: the key may not sign',
    reasons: ['purpose_missing'],
    platform: 'android',
  },
  old_challenge: {
    does: 'attested over another challenge',
    reasons: ['nonce_mismatch', 'challenge_mismatch'],
  },
  other_app: {
    does: 'another app made the key',
    reasons: ['app_id_mismatch', 'package_mismatch'],
  },
  other_credential: {
    does: 'iOS: the attestation names another key',
    reasons: ['credential_id_mismatch'],
    platform: 'ios',
  },
  other_key_id: {
    does: 'iOS: the key id belongs to another key',
    reasons: ['key_id_mismatch'],
    platform: 'ios',
  },
  other_phone: {
    does: 'another phone than the paired one signs',
    reasons: ['device_not_paired'],
  },
  other_public_key: {
    does: 'iOS: the attestation has another key',
    reasons: ['public_key_mismatch'],
    platform: 'ios',
  },
  other_signer: {
    does: 'Android: another developer signed the app',
    reasons: ['signature_mismatch'],
    platform: 'android',
  },
  play_flagged: {
    does: 'Android: Google Play has flagged the phone',
    reasons: ['device_flagged'],
    platform: 'android',
  },
  play_missing: {
    does: 'Android: sends no token of Google Play',
    reasons: ['integrity_missing'],
    platform: 'android',
  },
  play_replayed: {
    does: 'Android: Google Play’s token is for another request',
    reasons: ['request_hash_mismatch'],
    platform: 'android',
  },
  play_risk: {
    does: 'Android: Google Play sees a harmful app',
    reasons: ['device_risk'],
    platform: 'android',
  },
  play_rooted: {
    does: 'Android: Google Play does not vouch for it',
    reasons: ['device_integrity_missing'],
    platform: 'android',
  },
  play_stale: {
    does: 'Android: the token of Google Play is old',
    reasons: ['token_stale'],
    platform: 'android',
  },
  play_testing: {
    does: 'Android: Google Play answers with a test response',
    reasons: ['testing_response'],
    platform: 'android',
  },
  play_unevaluated: {
    does: 'Android: Google Play could not judge it',
    reasons: ['verdict_unevaluated'],
    platform: 'android',
  },
  play_unlicensed: {
    does: 'Android: the app is not from Google Play',
    reasons: ['unlicensed'],
    platform: 'android',
  },
  play_unrecognized: {
    does: 'Android: Google Play does not know the build',
    reasons: ['app_unrecognized'],
    platform: 'android',
  },
  replayed_counter: {
    does: 'iOS: signs with a counter it has used',
    reasons: ['counter_replay'],
    platform: 'ios',
  },
  resigned: {
    does: 'iOS: another developer signed the app again',
    reasons: ['category_refused'],
    platform: 'ios',
  },
  undescribed_key: {
    does: 'Android: no certificate describes the key',
    reasons: ['extension_missing'],
    platform: 'android',
  },
  unknown_hardware: {
    does: 'Android: the key lives in unknown hardware',
    reasons: ['security_level_low'],
    platform: 'android',
  },
  unlocked: {
    does: 'Android: the boot loader is unlocked',
    reasons: ['boot_unverified'],
    platform: 'android',
  },
  used_key: {
    does: 'iOS: the key has signed before',
    reasons: ['counter_nonzero'],
    platform: 'ios',
  },
  wrong_signature: {
    does: 'another key signs the proof',
    reasons: ['signature_invalid'],
  },
} as const satisfies Readonly<Record<string, Wrong>>;
