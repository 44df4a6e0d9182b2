import type { ServedProof } from '../../workflows/proofs.ts';

/**
 * Every reason code of a proof and of a verdict on evidence, grouped by proof. Each text says what
 * the code means, then what to do. A code is in exactly one group. The type of a rule's answer
 * allows only these codes. The reference page shows all of them.
 */
export const proofReasons = {
  any: {
    camera_suspect:
      'The proof would pass, but the page noticed a program in place of the camera or the ' +
      'person: see `capture_signals`. A reviewer decides.',
    challenge_unknown:
      'The challenge does not belong to this session, was used, or has expired. Request another ' +
      'one and answer it.',
    country_unknown:
      'The document names a country or an issuer that ICAO, or AAMVA for cards of North America, ' +
      'does not list.',
    document_expired: 'The document has expired. Use one that is valid.',
    evidence_differs:
      'When evidence is verified again: the files of the export do not match the hash. A file ' +
      'was changed or is missing, or the hash belongs to another check.',
    evidence_missing:
      'The submission, or a file that it names, no longer exists. Upload the files of this ' +
      'session again and submit the proof again.',
    evidence_removed:
      'When evidence is verified again: the account does not keep its images any longer. Their ' +
      'hashes remain, and they count neither for nor against the proof.',
    image_differs:
      'When evidence is verified again: an image does not match its hash in the file, or the ' +
      'file does not list it. It was added later; get the evidence again.',
    image_refused:
      'The file is not a JPEG, PNG or WebP, is damaged, or has too many pixels. Upload the ' +
      'photograph as the camera made it.',
    malformed:
      'The submission cannot be read: it is incomplete, has another format, or has impossible ' +
      'values. Read it again from the phone or the chip and send it unchanged.',
    mrz_checkdigit:
      'Check digits of the machine readable zone do not match its fields. Treat the document as ' +
      'forged. If a camera read it, photograph it once more.',
    removed_differs:
      'When evidence is verified again: its list of removed images is inconsistent, or an image ' +
      'is missing that is not listed as removed. Get the evidence again.',
    review_requested:
      'The person cannot give this proof and asked for a review. This attempt is not checked: a ' +
      'reviewer reads `review_requests` of the check, verifies the person in another way, and ' +
      'decides.',
  },
  biometric: {
    challenge_failed:
      'Not every requested movement was seen, in order and in its own frames. Request a new ' +
      'challenge and follow it slowly. Look straight ahead at the beginning.',
    copy_suspected:
      'The picture looks like a photograph of a screen or of paper. Take a picture of the ' +
      'person. A person may review the check.',
    face_blurred: 'The face is out of focus or has moved. Hold the phone still, in more light.',
    face_bright: 'The face is too bright. Turn away from the sun or the lamp.',
    face_cropped: 'Part of the face lies outside of the picture. Hold the phone further away.',
    face_dark: 'The face is too dark. Turn on a light, or turn to the window.',
    face_flat:
      'The face moved like a picture and not like a head. Take the frames of the person, not of ' +
      'a photograph or a screen.',
    face_mismatch:
      'The face does not match the portrait. Do not repeat the proof; treat the face as that of ' +
      'another person.',
    face_small: 'The face is too small. Hold the phone closer.',
    face_turned:
      'No frame shows the face from the front. Look straight into the camera at the beginning.',
    face_unsure:
      'The face is similar to the portrait, but not certainly the same. A person reviews it; a ' +
      'newer document or better light may help.',
    frames_repeated:
      'Two frames are the same picture, or a frame was submitted before. Take new frames for ' +
      'each challenge, and send each once.',
    frames_untimely:
      'The frames are not within the time of their challenge, in order and at a human pace. ' +
      'Request a new challenge and answer it at once.',
    identity_switch:
      'Not all frames show the same person. Request a new challenge and answer it alone.',
    liveness_failed:
      'The provider that judges faces did not find with enough certainty that a person was in ' +
      'front of the camera. Request a new challenge and try once more, in better light.',
    liveness_missing:
      'The frames belong to no challenge, so they do not prove that a person was present.',
    multiple_faces: 'A frame shows more than one face. Be alone in front of the camera.',
    no_face: 'A frame shows no face. Keep the whole face in the picture, uncovered.',
    portrait_missing:
      'There is no portrait to compare the face with. Submit DG2 of the passport. If the ' +
      'document could not be judged, a person may review the check.',
    portrait_unusable:
      'The portrait shows no face that can be compared. Read the chip, or photograph the ' +
      'document once more: close, sharp, without reflections.',
    reference_missing:
      'The provider that judges faces returned no picture to compare. Request a new challenge ' +
      'and try once more.',
    session_expired:
      'The session with the provider that judges faces did not end within three minutes, or the ' +
      'provider does not know it. Request a new challenge and follow it to its end.',
  },
  device: {
    app_id_mismatch:
      'The attestation is of another app. Set the team ID and bundle ID of the app as it is ' +
      'built, or use the right build.',
    app_unrecognized:
      'Google Play does not recognize this build of the app: it was changed, or came from ' +
      'elsewhere. Install it from Google Play.',
    app_version_low: 'This version of the app is too old. Update it.',
    attest_missing:
      'The proof came without the signature of the paired phone. Send it with the `attest` ' +
      'header.',
    boot_unverified:
      'The boot loader is unlocked, or the system is not the maker’s. Use a phone in its ' +
      'original state.',
    bundle_version_refused: 'This version of the app is not accepted. Install an accepted version.',
    category_refused:
      'The app reached the phone through a channel that is not allowed, for example a re-signed ' +
      'copy. Install it from where it is published.',
    cert_expired:
      'A certificate of the attestation is not valid yet or has expired. Attest again, on a ' +
      'phone with current keys.',
    chain_untrusted:
      'The certificates of the attestation do not lead to a trusted root: the phone is not ' +
      'genuine, or was tampered with. Use a genuine phone.',
    challenge_mismatch:
      'The key was attested over another challenge. Request a challenge and attest over it at ' +
      'once.',
    counter_nonzero: 'The key signed before it was enrolled. Create a new key and attest it.',
    counter_replay:
      'The counter is not higher than that of the last signature: a replay, or two requests in ' +
      'the wrong order. Sign each request again and send them one after the other.',
    credential_id_mismatch:
      'The attestation names another key than the submitted one. Attest the key that you enroll.',
    device_flagged:
      'The operator has revoked this phone before. Its vendor remembers this after a ' +
      'reinstallation. Use another phone, or ask the operator.',
    device_integrity_missing:
      'Google Play does not confirm the required integrity of the phone: it is rooted, emulated ' +
      'or virtual, or its system is not the maker’s. Use a phone in its original state.',
    device_not_paired:
      'Another phone than the paired one signed. Continue with the phone that joined the check.',
    device_revoked: 'The phone was revoked. Enroll it again, or use another one.',
    device_risk:
      'The vendor sees a risk. Google Play: harmful apps, an app that records or controls the ' +
      'screen, or far more requests than a person makes. Apple: far more keys of the app on the ' +
      'phone than a person needs. Remove such apps and try again; a person may review it.',
    environment_mismatch:
      'The attestation is of another App Attest environment than this service accepts: ' +
      'development instead of production, or the reverse. Use the right build.',
    extension_misplaced:
      'The description of the key is in another certificate than the first possible one: ' +
      'somebody extended the chain. Use a genuine phone.',
    extension_missing:
      'No certificate describes the key, so nothing is attested. Create the key with an ' +
      'attestation challenge.',
    integrity_missing:
      'The phone sent no Google Play token, which this app requires. Request one from Play: at ' +
      'the enrollment over our challenge and the certificate of the key, with a proof as in ' +
      '/docs/reference/attest-header. Send it too.',
    key_id_mismatch:
      'The key ID is not the hash of the attested key. Send the ID of the attested key.',
    key_not_generated:
      'The key was imported into the phone’s hardware and not created there. Create a new key.',
    key_revoked:
      'The vendor has revoked an attestation key of the phone. Use another phone: this one is ' +
      'not trusted until its maker renews the key.',
    nonce_mismatch: 'The attestation is not over our challenge. Request one and attest over it.',
    package_mismatch:
      'The key belongs to another Android app. Set the package of the app as it is built.',
    patch_level_low:
      'The security patches of the phone are older than required. Update its system.',
    public_key_mismatch:
      'The attestation, or its receipt, has another key than the expected one. Attest the key ' +
      'that you enroll.',
    purpose_missing: 'The key may not sign. Create it with the purpose to sign.',
    receipt_expired:
      'Apple’s receipt has expired, or is dated after the time of this check. Renew it.',
    receipt_invalid:
      'Apple’s receipt in the attestation is invalid: its signature, app, key or environment. ' +
      'Attest again, on a genuine phone.',
    request_hash_mismatch:
      'The Google Play token is not over our challenge and this key. Request a challenge, and a ' +
      'token over it at once.',
    root_untrusted:
      'The chain ends in an untrusted root, for example that of an emulator. Use a genuine phone.',
    security_level_low:
      'The key is in weaker hardware than required. Use a phone with the required hardware.',
    security_level_mismatch:
      'The attestation contradicts itself or its certificates about its hardware. Use a genuine ' +
      'phone.',
    signature_invalid:
      'The signature does not verify with the expected key. Sign the exact bytes, with the ' +
      'enrolled key.',
    signature_mismatch:
      'The Android app is signed by another key than those in the settings of the app. Add the ' +
      'digest of its signing certificate, or use the right build.',
    software_key:
      'The key is in software, as on an emulator. Use a phone that keeps keys in hardware.',
    testing_response:
      'Google Play returned a verdict for testers. Use an account that is not a tester.',
    token_stale:
      'The Google Play token is over ten minutes old, or dated in the future. Request another.',
    unlicensed:
      'The account on the phone did not get the app from Google Play. Install it from there.',
    verdict_unevaluated:
      'Google Play could not evaluate the phone, for example offline or with an old Play Store. ' +
      'Try again later, or update the Play Store.',
  },
  document: {
    blur: 'The photograph is out of focus or blurred. Hold the phone still and take it again.',
    country_refused: 'Documents of this country are not accepted. Use one of another country.',
    cropped:
      'Part of the document is outside the photograph. Take it again with all four edges in it.',
    fields_contradict:
      'Fields of the document contradict each other. Treat it as forged or misread, and ' +
      'photograph it once more.',
    front_back_mismatch:
      'The same field differs between the two sides of the document. Photograph both sides of ' +
      'one document.',
    glare: 'Light reflects on the text of the document. Tilt the document and try again.',
    no_document: 'The photograph shows no document. Photograph the page or the side with its code.',
    side_missing:
      'Only the side of the card with the three lines was photographed. Photograph the side with ' +
      'the portrait as well.',
    too_dark: 'The photograph is too dark to read. Turn on a light and take it again.',
    type_refused: 'Documents of this type are not accepted. Use one of another type.',
    unreadable:
      'The code of the document could not be read with certainty. Photograph it straight from ' +
      'above, close, in even light.',
  },
  nfc_passport: {
    aa_missing:
      'The chip can prove that it is not a copy, but this was not requested. Read it again with ' +
      'active authentication over our challenge.',
    aa_signature_invalid:
      'The chip does not have the key of its passport: it is a copy. Do not repeat the proof; ' +
      'have the original read, or have a person review it.',
    aa_unsupported:
      'The response of the chip cannot be judged: DG15 was not submitted, or its key is of an ' +
      'unknown type. Submit DG14 and DG15 with the response.',
    algorithm_refused:
      'The passport is signed or hashed with a weak or unknown algorithm. Use a newer document.',
    chip_auth_invalid:
      'The chip did not respond with the keys of its passport: it is a copy, or the commands ' +
      'were for another DG14. Have the original read, or have a person review it.',
    chip_auth_missing:
      'The policy requires chip authentication, and no response of the chip was submitted. ' +
      'Request a challenge with DG14 and relay its commands to the chip.',
    chip_auth_unsupported:
      'The response of the chip cannot be judged: DG1 or DG14 was not submitted, or DG14 has no ' +
      'key of a known type. Read the chip again, or omit the response.',
    country_mismatch:
      'The document, its signer and the signer’s authority are not of one State: it is a ' +
      'forgery, or certificates of two States were mixed. Have a person review the document.',
    csca_ambiguous:
      'Too many certificates have the name of the signer’s authority, so its issuer is unknown. ' +
      'Submit only those of its key; a person may review the check.',
    csca_not_trusted:
      'No trusted authority of the issuing State signed this document. If it is genuine, the ' +
      'operator must add that State’s certificate to the master list.',
    csca_revoked:
      'The State has revoked its authority that issued the document’s signer, or one that ' +
      'introduced it. Use another document.',
    dg1_missing:
      'The file with the data of the holder was not submitted. Read DG1 and submit it too.',
    dg_hash_mismatch:
      'A file of the chip differs from the one that the State signed: it was changed. Do not ' +
      'repeat the proof; treat the document as forged.',
    dg_not_in_sod:
      'A file was submitted that the State did not sign. Submit only files that the chip lists.',
    dsc_expired:
      'The certificate that signed the document was not valid, either now or at the signature. ' +
      'Use another document.',
    dsc_revoked:
      'The State has revoked the certificate that signed the document. Use another document.',
    revocation_unknown:
      'It is unknown whether the signer was revoked: there is no current revocation list of its ' +
      'State. The operator must install one; a person may review the check.',
    sod_signature_invalid:
      'The signature over the chip’s files is invalid. Treat the document as forged.',
    underage: 'The holder is younger than the policy requires.',
  },
  phone: {
    attempts_exhausted:
      'All five attempts to type the code are used. Begin another check, if the link allows one.',
    code_expired: 'The code was typed too late: it is valid for ten minutes. Request another one.',
    code_not_sent: 'No code was sent in this session. Request one first.',
    code_wrong: 'The typed code is wrong. Type it again, or request another one.',
    not_repeatable:
      'When evidence is verified again: a code is right at one moment only, so its record cannot ' +
      'be verified a second time. It counts neither for nor against the rest.',
  },
} as const satisfies Readonly<Record<ServedProof | 'any', Readonly<Record<string, string>>>>;

type Groups = typeof proofReasons;

/** A reason code of a proof, or of a verdict on its evidence. */
export type ProofReason = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups];
