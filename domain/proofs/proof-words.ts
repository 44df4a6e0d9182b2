import type { ProofReason } from './reasons.ts';

/**
 * The sentence for each reason code on the pages of an affidavit. The reader did not take part in
 * the check and has nothing to repeat, so it says what happened and not what to do.
 */
const reasonWords: Readonly<Record<ProofReason, string>> = {
  // Any proof
  challenge_unknown: 'The answer belongs to no open request of this check.',
  country_unknown: 'The document names a country or an issuer that is not on the official lists.',
  document_expired: 'The document has expired.',
  evidence_differs: 'The files are not the files that were checked.',
  evidence_missing: 'A file that the check needs was missing.',
  evidence_removed: 'The service no longer keeps the images.',
  image_differs: 'An image is not the image that was checked.',
  image_refused: 'An image was damaged, too large or of an unknown format.',
  malformed: 'The data was incomplete or could not be read.',
  mrz_checkdigit: 'The machine-readable lines of the document contradict their check digits.',
  removed_differs: 'The list of removed images does not match the file.',
  camera_suspect: 'The browser reported that a program may have replaced the camera or the person.',
  review_requested: 'The person asked for a review, so the service did not check this attempt.',
  // Face
  challenge_failed: 'The pictures do not show all the movements that the service asked for.',
  copy_suspected: 'The camera may have seen a screen or a printed picture.',
  face_blurred: 'The pictures of the face were not sharp.',
  face_bright: 'The pictures of the face were too bright.',
  face_cropped: 'Part of the face was outside the picture.',
  face_dark: 'The pictures of the face were too dark.',
  face_flat: 'The face moved like a flat picture and not like a head.',
  face_mismatch: 'The face does not match the portrait in the document.',
  face_small: 'The face was too small in the pictures.',
  face_turned: 'No picture showed the face from the front.',
  face_unsure: 'The face is similar to the portrait, but not similar enough for a match.',
  frames_repeated: 'The same picture was sent more than once.',
  frames_untimely: 'The camera did not take the pictures within the allowed time.',
  identity_switch: 'The faces in the pictures do not match each other.',
  liveness_failed: 'The pictures do not show that a live person was in front of the camera.',
  liveness_missing:
    'The service asked for no movements, so it is unknown whether a person was there.',
  multiple_faces: 'The service found more than one face in a picture.',
  no_face: 'The service found no face in a picture.',
  portrait_missing: 'No portrait was available to compare the face with.',
  portrait_unusable: 'The portrait in the document is not good enough for a comparison.',
  reference_missing: 'The provider returned no picture of the face to compare.',
  session_expired: 'The session with the provider ended before it was complete.',
  // Device
  app_id_mismatch: 'The device used a different app.',
  app_unrecognized: 'Google Play does not recognize the app on the device.',
  app_version_low: 'The app on the device is too old.',
  attest_missing: 'The device did not sign the request.',
  boot_unverified: 'The operating system of the device is unlocked or was changed.',
  bundle_version_refused: 'The service does not accept this version of the app.',
  category_refused: 'The service does not accept this kind of installation of the app.',
  cert_expired: 'A certificate of the device is expired or not yet valid.',
  chain_untrusted: 'The certificates of the device are not from a trusted maker.',
  challenge_mismatch: 'The device answered a different request.',
  counter_nonzero: 'The device reports that its key was used before it was enrolled.',
  counter_replay: 'A signature of the device was sent more than once.',
  credential_id_mismatch: 'The attestation is for a different key.',
  device_flagged: 'This device was revoked before.',
  device_integrity_missing: 'Google Play does not confirm that the device is unmodified.',
  device_not_paired: 'A different device signed the request.',
  device_revoked: 'The device was revoked.',
  device_risk: 'The vendor of the device reports a risk.',
  environment_mismatch: 'The app was built for tests, or the service expects a test build.',
  extension_misplaced: 'The description of the key is in the wrong certificate of the device.',
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
  security_level_low: 'The device keeps the key in hardware that is weaker than required.',
  security_level_mismatch: 'The attestation contradicts itself about the hardware.',
  signature_invalid: 'The signature is not valid.',
  signature_mismatch: 'The Android app is signed with a key that the service does not expect.',
  software_key: 'The device keeps the key in software and not in hardware.',
  testing_response: 'The answer from Google Play is a test answer.',
  token_stale: 'The confirmation from Google Play is too old.',
  unlicensed: 'The account on the device did not get the app from Google Play.',
  verdict_unevaluated: 'Google Play could not evaluate the device.',
  // Photographed document
  blur: 'The photograph was not sharp.',
  country_refused: 'This check does not accept documents of this country.',
  cropped: 'Part of the document was outside the photograph.',
  fields_contradict: 'The data on the document contradicts itself.',
  front_back_mismatch: 'The front and the back of the document do not match.',
  glare: 'A reflection covered part of the document.',
  no_document: 'The service found no document in the photograph.',
  side_missing: 'One side of the document was not photographed.',
  too_dark: 'The photograph was too dark.',
  type_refused: 'This check does not accept this type of document.',
  unreadable: 'The service could not read the document with certainty.',
  // Passport chip
  aa_missing: 'The service received no proof of the chip that it is an original.',
  aa_signature_invalid: 'The chip gave no valid proof that it is an original.',
  aa_unsupported: 'The service could not check the answer of the chip.',
  algorithm_refused: 'The passport is signed with an algorithm that is too weak or unknown.',
  chip_auth_invalid: 'The chip gave no valid proof that it is an original.',
  chip_auth_missing: 'The service received no proof of the chip that it is an original.',
  chip_auth_unsupported: 'The service could not check the answer of the chip.',
  country_mismatch: 'The document and its signature are from different countries.',
  csca_ambiguous: 'The service could not determine which authority signed the document.',
  csca_not_trusted:
    'The signature of the document does not lead to a trusted authority of a State.',
  csca_revoked: 'The State revoked the authority that signed the document.',
  dg1_missing: 'The personal data on the chip was not read.',
  dg_hash_mismatch: 'The data on the chip does not match what the State signed.',
  dg_not_in_sod: 'The submission has a file that the State did not sign.',
  dsc_expired: 'The certificate that signed the document was out of its validity period.',
  dsc_revoked: 'The State revoked the certificate that signed the document.',
  revocation_unknown: 'It is unknown whether the State revoked the certificate of the document.',
  sod_signature_invalid: 'The signature over the data on the chip is not valid.',
  underage: 'The holder is younger than required.',
  // Phone number
  attempts_exhausted: 'The entered code was wrong five times.',
  code_expired: 'The code was entered too late.',
  code_not_sent: 'The service sent no code.',
  code_wrong: 'The entered code was wrong.',
  not_repeatable: 'The service cannot check an entered code a second time.',
};

const providerDown = 'A provider that this proof needs did not answer.';

/** Returns the sentence for a reason code of a proof; names the code if it has no sentence. */
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

/** Returns the name of a proof type on the pages. */
export function proofName(type: string): string {
  return (Object.hasOwn(names, type) ? names[type] : undefined) ?? type;
}
