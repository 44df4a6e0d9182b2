import type { ProofReason } from '../evidence/reasons.ts';

/**
 * What each reason code says on the pages of an affidavit. Its reader did not take part in the
 * check and has nothing to repeat, so it says what happened and not what to do.
 */
const reasonWords: Readonly<Record<ProofReason, string>> = {
  // Any proof
  challenge_unknown: 'The answer belongs to no open request of this check.',
  country_unknown: 'The document names a country or an issuer that is not on the official lists.',
  document_expired: 'The document has expired.',
  evidence_differs: 'The files are not the files that were checked.',
  evidence_missing: 'A file that is needed for the check was missing.',
  evidence_removed: 'The images are no longer kept.',
  image_differs: 'An image is not the image that was checked.',
  image_refused: 'An image was damaged, too large or of an unknown format.',
  malformed: 'The data was incomplete or could not be read.',
  mrz_checkdigit: 'The machine-readable lines of the document contradict their check digits.',
  removed_differs: 'The list of removed images does not match the file.',
  // Face
  challenge_failed: 'The person did not make all the movements that were asked for.',
  copy_suspected: 'The camera may have seen a screen or a printed picture.',
  face_blurred: 'The pictures of the face were not sharp.',
  face_bright: 'The pictures of the face were too bright.',
  face_cropped: 'Part of the face was outside the picture.',
  face_dark: 'The pictures of the face were too dark.',
  face_flat: 'The face moved like a flat picture and not like a head.',
  face_mismatch: 'The face is not like the portrait in the document.',
  face_small: 'The face was too small in the pictures.',
  face_turned: 'No picture showed the face from the front.',
  face_unsure: 'The face is similar to the portrait, but not enough to be sure.',
  frames_repeated: 'The same picture was sent more than once.',
  frames_untimely: 'The pictures were not taken in the time allowed.',
  identity_switch: 'The pictures showed different persons.',
  liveness_failed: 'It was not established that a live person was in front of the camera.',
  liveness_missing: 'No movements were asked for, so it is unknown whether a person was there.',
  multiple_faces: 'More than one face was in a picture.',
  no_face: 'A picture showed no face.',
  portrait_missing: 'No portrait was available to compare the face with.',
  portrait_unusable: 'The portrait in the document is not good enough to compare.',
  reference_missing: 'The provider returned no picture of the face to compare.',
  session_expired: 'The session with the provider ended before it was complete.',
  // Device
  app_id_mismatch: 'The device used a different app.',
  app_unrecognized: 'Google Play does not recognize the app on the device.',
  app_version_low: 'The app on the device is too old.',
  attest_missing: 'The device did not sign the request.',
  boot_unverified: 'The operating system of the device is unlocked or was changed.',
  bundle_version_refused: 'This version of the app is not accepted.',
  category_refused: 'The app was installed in a way that is not accepted.',
  cert_expired: 'A certificate of the device is expired or not yet valid.',
  chain_untrusted: 'The certificates of the device are not from a trusted maker.',
  challenge_mismatch: 'The device answered a different request.',
  counter_nonzero: 'The key of the device was used before it was enrolled.',
  counter_replay: 'A signature of the device was sent more than once.',
  credential_id_mismatch: 'The attestation is for a different key.',
  device_flagged: 'This device was revoked before.',
  device_integrity_missing: 'Google Play does not confirm that the device is unmodified.',
  device_not_paired: 'A different device signed the request.',
  device_revoked: 'The device was revoked.',
  device_risk: 'The vendor of the device reports a risk.',
  environment_mismatch: 'The app was built for tests, or the service expects a test build.',
  extension_misplaced: 'The certificates of the device were extended by someone else.',
  extension_missing: 'No certificate describes the key of the device.',
  integrity_missing: 'The device sent no confirmation from Google Play.',
  key_id_mismatch: 'The name of the key does not match the key.',
  key_not_generated: 'The key was not made inside the device.',
  key_revoked: 'The vendor revoked a key of this device.',
  nonce_mismatch: 'The device answered a different request.',
  package_mismatch: 'A different Android app made the key.',
  patch_level_low: 'The security updates of the device are too old.',
  public_key_mismatch: 'The attestation is for a different key.',
  purpose_missing: 'The key of the device is not allowed to sign.',
  receipt_expired: 'The receipt from Apple has expired.',
  receipt_invalid: 'The receipt from Apple is not valid.',
  request_hash_mismatch: 'The confirmation from Google Play is for a different request.',
  root_untrusted: 'The certificates of the device do not lead to a trusted root.',
  security_level_low: 'The key is kept in hardware that is weaker than required.',
  security_level_mismatch: 'The attestation contradicts itself about the hardware.',
  signature_invalid: 'The signature is not valid.',
  signature_mismatch: 'The Android app was signed by someone else.',
  software_key: 'The key is kept in software and not in hardware.',
  testing_response: 'The answer from Google Play is a test answer.',
  token_stale: 'The confirmation from Google Play is too old.',
  unlicensed: 'The app was not installed from Google Play by this account.',
  verdict_unevaluated: 'Google Play could not evaluate the device.',
  // Photographed document
  blur: 'The photograph was not sharp.',
  country_refused: 'Documents of this country are not accepted for this check.',
  cropped: 'Part of the document was outside the photograph.',
  fields_contradict: 'The data on the document contradicts itself.',
  front_back_mismatch: 'The front and the back of the document do not match.',
  glare: 'A reflection covered part of the document.',
  no_document: 'The photograph showed no document.',
  too_dark: 'The photograph was too dark.',
  type_refused: 'This type of document is not accepted for this check.',
  unreadable: 'The document could not be read with certainty.',
  // Passport chip
  aa_missing: 'The chip was not asked to prove that it is an original.',
  aa_signature_invalid: 'The chip is a copy: it does not have the key of the original.',
  aa_unsupported: 'The answer of the chip could not be checked.',
  algorithm_refused: 'The passport is signed with an algorithm that is too weak or unknown.',
  chip_auth_invalid: 'The chip did not prove that it is an original.',
  chip_auth_missing: 'The chip was not asked to prove that it is an original.',
  chip_auth_unsupported: 'The answer of the chip could not be checked.',
  country_mismatch: 'The document and its signature are from different countries.',
  csca_ambiguous: 'It could not be told which authority signed the document.',
  csca_not_trusted: 'No trusted authority of a State signed the document.',
  csca_revoked: 'The State revoked the authority that signed the document.',
  dg1_missing: 'The personal data on the chip was not read.',
  dg_hash_mismatch: 'The data on the chip was changed after the State signed it.',
  dg_not_in_sod: 'A file was sent that the State did not sign.',
  dsc_expired: 'The certificate that signed the document was not valid.',
  dsc_revoked: 'The State revoked the certificate that signed the document.',
  revocation_unknown: 'It is unknown whether the signature of the document was revoked.',
  sod_signature_invalid: 'The signature over the data on the chip is not valid.',
  underage: 'The holder is younger than required.',
  // Phone number
  attempts_exhausted: 'A wrong code was entered five times.',
  code_expired: 'The code was entered too late.',
  code_not_sent: 'No code was sent.',
  code_wrong: 'A wrong code was entered.',
  not_repeatable: 'A code that was entered cannot be checked a second time.',
};

const providerDown = 'A service that is needed for this proof did not answer.';

/** A reason code of a proof as a sentence; the code itself where there is none for it. */
export function reasonSentence(code: string): string {
  if (code === 'provider_unavailable') return providerDown;
  const known: Readonly<Record<string, string>> = reasonWords;
  return (Object.hasOwn(known, code) ? known[code] : undefined) ?? `Reason code: ${code}.`;
}

const names: Readonly<Record<string, string>> = {
  biometric: 'Face',
  device: 'Device',
  document: 'Photographed document',
  nfc_passport: 'Passport chip',
  phone: 'Phone number',
};

/** The name of a proof type on the pages. */
export function proofName(type: string): string {
  return (Object.hasOwn(names, type) ? names[type] : undefined) ?? type;
}
