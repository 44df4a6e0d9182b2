import type { ServedProof } from '../../workflows/proofs.ts';

/**
 * Every reason code of a proof and of a verdict on evidence, grouped by proof. Each text says what
 * the code means, then what to do. A code is in exactly one group. The type of a rule's answer
 * allows only these codes. The reference page shows all of them.
 */
export const proofReasons = {
  any: {
    camera_suspect:
      'The proof would pass, but the page noticed a program in the place of the camera or of the ' +
      'person: `capture_signals`. A reviewer looks at the pictures and decides.',
    challenge_unknown:
      'The challenge that was answered was not given to this session, is used up, or has ended. ' +
      'Ask for another and answer that one.',
    country_unknown:
      'The document names a country or an issuer that ICAO, or AAMVA for cards of North America, ' +
      'does not list.',
    document_expired: 'The document has expired. Use one that is valid.',
    evidence_differs:
      'Of evidence judged again: no files of the export are those that the hash was computed ' +
      'over. Something was changed or left out, or the hash is of another check.',
    evidence_missing:
      'What was handed in, or a file it names, is not there any more. Upload the files of this ' +
      'session again and hand the proof in once more.',
    evidence_removed:
      'Of evidence judged again: its images are not kept any more, as the account has it. Their ' +
      'hashes are; what is left counts neither for nor against the rest.',
    image_differs:
      'Of evidence judged again: an image is not the one that the file lists, by its hash, or ' +
      'has no place. It was put there later; get the evidence anew.',
    image_refused:
      'The file is no JPEG, PNG or WebP, is damaged, or has more pixels than are taken. Upload ' +
      'the photograph as the camera made it.',
    malformed:
      'What was handed in cannot be read as what it should be: cut off, of another format, or ' +
      'with impossible values. Read it again from the phone or the chip and send it unchanged.',
    mrz_checkdigit:
      'Check digits of the machine readable zone do not agree with its fields. Treat the ' +
      'document as forged; read by a camera, photograph it once more.',
    removed_differs:
      'Of evidence judged again: what the file says of images that are gone is not what it lists ' +
      'of them, or one is missing and not said to be gone. Get the evidence anew.',
    review_requested:
      'The person cannot give this proof and asked for a review. This attempt is not checked: a ' +
      'reviewer reads `review_requests` of the check, verifies the person in another way, and ' +
      'decides.',
  },
  biometric: {
    challenge_failed:
      'The movements asked for were not all seen, in their order and each in its own frames. Ask ' +
      'for a new challenge and follow it slowly, looking straight ahead at the beginning.',
    copy_suspected:
      'The picture looks like one of a screen or of paper. Take it of the person; a person may ' +
      'review the check.',
    face_blurred: 'The face is out of focus or was moved. Hold the phone still, in more light.',
    face_bright: 'The face is too bright. Turn away from the sun or the lamp.',
    face_cropped: 'Part of the face lies outside of the picture. Hold the phone further away.',
    face_dark: 'The face is too dark. Turn on a light, or turn to the window.',
    face_flat:
      'The face turned as a picture does and not as a head. Take the frames of the person, not ' +
      'of a photograph or a screen.',
    face_mismatch:
      'The face is not the one it is compared with. Nothing to repeat; treat it as another ' +
      'person’s.',
    face_small: 'The face is too small. Hold the phone closer.',
    face_turned: 'No frame shows the face from the front. Look straight into the camera at first.',
    face_unsure:
      'The face is like the one it is compared with, but not surely the same. A person reviews ' +
      'it; a newer document or a better light may help.',
    frames_repeated:
      'Two frames are the same picture, or frames were handed in before. Take new ones for each ' +
      'challenge, and send each once.',
    frames_untimely:
      'The frames do not lie in the time of their challenge, in order and at the pace of a ' +
      'person. Ask for a new challenge and answer it at once.',
    identity_switch:
      'Not all frames show the same person. Ask for a new challenge and answer it alone.',
    liveness_failed:
      'The provider that judges faces here did not find, or not surely enough, that a person was ' +
      'before the camera. Ask for a new challenge and try once more, in better light.',
    liveness_missing:
      'No challenge belongs to the frames, so that nothing tells whether somebody was there.',
    multiple_faces: 'More than one face is in a frame. Be alone before the camera.',
    no_face: 'A frame shows no face. Keep the whole face in the picture, uncovered.',
    portrait_missing:
      'There is no portrait a face could be held against. Hand in DG2 of the passport; where the ' +
      'document could not be judged, a person may review the check.',
    portrait_unusable:
      'The portrait to compare with shows no face that can be compared. Read the chip, or ' +
      'photograph the document once more: close, sharp, without reflections.',
    reference_missing:
      'The provider that judges faces here gave no picture to compare. Ask for a new challenge ' +
      'and try once more.',
    session_expired:
      'The session with the provider that judges faces here was not ended in its three minutes, ' +
      'or is not known there. Ask for a new challenge and follow it to its end.',
  },
  device: {
    app_id_mismatch:
      'The attestation is of another app than this one. Enter team and bundle id of the app here ' +
      'as it is built, or use the right build.',
    app_unrecognized:
      'Google Play does not know this build of the app: changed, or not from there. Install it ' +
      'from Google Play.',
    app_version_low: 'This version of the app is too old. Update it.',
    attest_missing:
      'The proof came without the signature of the paired phone. Send it with the `attest` header.',
    boot_unverified:
      'The boot loader is unlocked or the system is not the maker’s. Use a phone as it was sold.',
    bundle_version_refused: 'This version of the app is not taken here. Install one that is.',
    category_refused:
      'The app reached the phone by a way that is not allowed, as a copy signed again would. ' +
      'Install it from where it is published.',
    cert_expired:
      'A certificate of the attestation is outside its dates. Attest anew, on a phone whose keys ' +
      'are current.',
    chain_untrusted:
      'The certificates of the attestation do not lead to a root that is trusted here: no ' +
      'genuine phone, or one that was tampered with. Use a genuine phone.',
    challenge_mismatch:
      'The key was attested over another challenge than the one given. Ask for a challenge and ' +
      'attest over it at once.',
    counter_nonzero:
      'The key has signed before it was enrolled. Make a new key and attest that one.',
    counter_replay:
      'The counter has not risen since the last signature: a replay, or two that crossed. Sign ' +
      'each request anew and send them one after the other.',
    credential_id_mismatch:
      'The attestation names another key than the one handed in. Attest the key that is enrolled.',
    device_flagged:
      'The operator has revoked this phone before, which its vendor recalls whatever is ' +
      'installed anew. Use another phone, or ask the operator.',
    device_integrity_missing:
      'Google Play does not vouch for the phone as far as asked: rooted, emulated, virtual, or ' +
      'its system is not the maker’s. Use a phone as it was sold.',
    device_not_paired:
      'Another phone than the paired one signed. Go on with the phone that joined the check.',
    device_revoked: 'The phone was revoked. Enroll it anew, or use another.',
    device_risk:
      'The vendor sees a risk. Google Play: harmful apps, one that records or steers the screen, ' +
      'or far more requests than a person makes; Apple: far more keys of the app made on the ' +
      'phone than a person needs. Remove such apps and try again; a person may review it.',
    environment_mismatch:
      'The attestation is of another environment of App Attest than this service takes: ' +
      'development for production, or the reverse. Use the right build.',
    extension_misplaced:
      'The description of the key stands in another certificate than the first that may have ' +
      'it: the chain was extended by somebody. Use a genuine phone.',
    extension_missing:
      'No certificate describes the key, so nothing is attested. Make the key with an ' +
      'attestation challenge.',
    integrity_missing:
      'The phone came without a token of Google Play, which this app is asked for. Ask Play for ' +
      'one, at the enrollment over our challenge and the certificate of the key, with a proof as ' +
      '/docs/reference/attest-header has it, and send it along.',
    key_id_mismatch:
      'The key id is not the hash of the attested key. Send the id that goes with the attestation.',
    key_not_generated:
      'The key was put into the phone’s hardware instead of being made there. Make a new key.',
    key_revoked:
      'The vendor has revoked a key of the phone’s attestation. Use another phone: this one ' +
      'cannot be believed again until its maker renews it.',
    nonce_mismatch:
      'The attestation is not over our challenge. Ask for a challenge and attest over that one, ' +
      'unchanged.',
    package_mismatch:
      'Another Android app made the key. Enter the package of the app here as it is built.',
    patch_level_low:
      'The security patches of the phone are older than asked for. Update its system.',
    public_key_mismatch:
      'The attestation, or its receipt, holds another key than the one it is held against. ' +
      'Attest the key that is enrolled.',
    purpose_missing: 'The key may not sign. Make it with the purpose to sign.',
    receipt_expired:
      'The receipt of Apple has ended, or was made later than the time of this check. Renew it.',
    receipt_invalid:
      'The receipt of Apple inside the attestation does not hold: its signature, app, key or ' +
      'environment. Attest anew, on a genuine phone.',
    request_hash_mismatch:
      'The token of Google Play is not over our challenge and this key. Ask for a challenge and ' +
      'for a token over it at once.',
    root_untrusted:
      'The chain ends in a root that is not trusted here, as that of an emulator does. Use a ' +
      'genuine phone.',
    security_level_low:
      'The key lives in weaker hardware than the policy asks for. Use a phone that has it.',
    security_level_mismatch:
      'What the attestation says of its hardware contradicts itself or its certificates. Use a ' +
      'genuine phone.',
    signature_invalid:
      'The signature is not of the key it is held against. Sign the exact bytes, with the ' +
      'enrolled key.',
    signature_mismatch:
      'The Android app is signed by another key than those entered. Enter the digest of its ' +
      'signing certificate, or use the right build.',
    software_key:
      'The key lives in software, as on an emulator. Use a phone that keeps keys in hardware.',
    testing_response:
      'The answer of Google Play is one set for testers. Use an account that is no tester of it.',
    token_stale: 'The token of Google Play is older than ten minutes, or not yet made. Ask anew.',
    unlicensed:
      'The account on the phone has not got the app from Google Play. Install it from there.',
    verdict_unevaluated:
      'Google Play could not evaluate the phone, as happens offline or with an old Play Store. ' +
      'Try again later, or update the Play Store.',
  },
  document: {
    blur: 'The photograph is out of focus or was shaken. Hold the phone still and take it again.',
    country_refused: 'Documents of this country are not taken here. Use one of another country.',
    cropped:
      'Part of the document lies outside the photograph. Take it again with all four edges in it.',
    fields_contradict:
      'Fields of the document contradict each other: treat it as forged, or as misread, and ' +
      'photograph it once more.',
    front_back_mismatch:
      'What both sides of the document say twice is not the same. Photograph both sides of one ' +
      'document.',
    glare: 'Light is reflected where there is something to read. Tilt the document and try again.',
    no_document: 'No document is to be seen. Photograph the page or the side with its code.',
    side_missing:
      'Only the side of the card with the three lines was photographed. Photograph the side with ' +
      'the portrait as well.',
    too_dark: 'The photograph is too dark to read. Turn on a light and take it again.',
    type_refused: 'Documents of this kind are not taken here. Use one of another kind.',
    unreadable:
      'The code of the document could not be read with certainty. Photograph it straight from ' +
      'above, close, in even light.',
  },
  nfc_passport: {
    aa_missing:
      'The chip can prove that it is no copy and was not asked to. Read it again with active ' +
      'authentication over our challenge.',
    aa_signature_invalid:
      'The chip does not hold the key its passport was issued with: a copy. Nothing to repeat; ' +
      'have the original read, or the person looked at.',
    aa_unsupported:
      'The answer of the chip cannot be judged: DG15 was not handed in or its key is of an ' +
      'unknown kind. Hand in DG14 and DG15 with the answer.',
    algorithm_refused:
      'The passport is signed or hashed by an algorithm too weak or unknown. Use a newer document.',
    chip_auth_invalid:
      'The chip did not answer under the keys that its passport’s key makes: a copy, or another ' +
      'DG14 than the commands were made for. Have the original read, or the person looked at.',
    chip_auth_missing:
      'The policy asks for chip authentication, and no answer of the chip was handed in. Ask for ' +
      'a challenge with DG14 and relay its commands to the chip.',
    chip_auth_unsupported:
      'The answer of the chip cannot be judged: DG1 or DG14 was not handed in, or DG14 has no ' +
      'key of a known kind. Read the chip again, or leave the answer out.',
    country_mismatch:
      'Document, its signer and the signer’s authority are not of one State: a forgery, or ' +
      'certificates of two States mixed. Have the document looked at.',
    csca_ambiguous:
      'More certificates bear the name of the signer’s authority than are tried, so it cannot be ' +
      'told which one issued it. Hand in only those of its key; a person may review the check.',
    csca_not_trusted:
      'No trusted authority of the issuing State signed for this document. If it is genuine, ' +
      'the operator has to add that State’s certificate to the master list.',
    csca_revoked:
      'The State has revoked its authority that issued the document’s signer, or one that ' +
      'introduced it. Use another document.',
    dg1_missing: 'The file with the holder’s data was not handed in. Read DG1 and hand it in too.',
    dg_hash_mismatch:
      'A file of the chip is not the one the State signed: it was changed. Nothing to repeat; ' +
      'treat the document as forged.',
    dg_not_in_sod:
      'A file was handed in that the State did not sign. Hand in only files the chip lists.',
    dsc_expired:
      'The certificate that signed the document was not valid: now, or when it signed. Use ' +
      'another document.',
    dsc_revoked:
      'The State has revoked the certificate that signed the document. Use another document.',
    revocation_unknown:
      'It cannot be told whether the signer was revoked: no current revocation list of its ' +
      'State is usable. The operator has to bring a current one; a person may review the check.',
    sod_signature_invalid:
      'The signature over the chip’s files does not hold. Treat the document as forged.',
    underage: 'The holder is younger than the policy asks for.',
  },
  phone: {
    attempts_exhausted:
      'All five guesses of the code are used up. Begin another check, if the link allows one.',
    code_expired: 'The code was typed too late: it lives for ten minutes. Have another sent.',
    code_not_sent: 'No code was sent in this session. Have one sent first.',
    code_wrong: 'Another code was typed than the one sent. Type it again, or have another sent.',
    not_repeatable:
      'Of evidence judged again: a typed code was right at one moment, and its record cannot be ' +
      'judged a second time. It counts neither for nor against the rest.',
  },
} as const satisfies Readonly<Record<ServedProof | 'any', Readonly<Record<string, string>>>>;

type Groups = typeof proofReasons;

/** A reason code of a proof, or of a verdict on its evidence. */
export type ProofReason = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups];
