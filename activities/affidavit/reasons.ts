import type { AffidavitFault } from '../../workflows/issue-affidavit/messages.ts';

/** Why an affidavit could not be issued, and what to do. */
export const issueReasons: Readonly<Record<AffidavitFault, string>> = {
  affidavit_invalid:
    'It was sealed and then did not verify, so it was not given out; the check stands. It is ' +
    'tried again every day; the operator finds the cause in the log.',
  affidavit_unmakeable:
    'It could not be written or sealed, or its check was redacted before; the check stands. ' +
    'Unless redacted it is tried again every day; the operator finds the cause in the log.',
};

/** Why an affidavit does not verify: what each code means and, after that, what to do. */
export const verifyReasons = {
  attachment:
    'The attached data is not of the form its schema says. Do not rely on the file: get it anew.',
  attachment_missing: 'The data that belongs to the pages is not attached. Get the file anew.',
  byte_range:
    'The seal does not cover the whole file: something was put in or after it. Get the file anew.',
  certificate_purpose:
    'The seal is by a certificate that is not for sealing documents, or an authority above seal ' +
    'or time stamp does not certify for that. Do not rely on the file.',
  chain:
    'The certificates of seal and time stamp do not lead to one authority, or were out of force ' +
    'at the time stamp. Do not rely on the file.',
  content_changed: 'The file is not the one that was sealed. Do not rely on it: get it anew.',
  document_timestamp:
    'The time stamp over the whole file is not over this one, or its certificate is not for time ' +
    'stamps alone. Do not rely on the file: get it anew.',
  evidence_differs:
    'The evidence that it was held against is not the one it names by its hash: something was ' +
    'changed or left out, or it is of another check. Get both anew.',
  evidence_removed:
    'Evidence that it names cannot be found by its hash any more: images of it were removed, and ' +
    'it is of the form that is hashed with them. Nothing is said against the affidavit itself.',
  hidden_bytes: 'Bytes lie in the seal, or behind it, that nobody vouches for. Get the file anew.',
  log_downgraded:
    'The proof is under a checkpoint that is older than the one that is known of the log. Get a ' +
    'newer proof.',
  log_entry_missing:
    'Nobody stamped the seal, and the proof has no entry that says when it was logged: the log ' +
    'cannot be asked for it. Get the proof anew.',
  log_foreign:
    'The proof is of another log than the one that is believed, or its checkpoint is not signed ' +
    'by that one. Get it from the log whose key you have.',
  log_forked:
    'The log has signed two trees of one size: it shows different people different things. Keep ' +
    'both checkpoints, and do not rely on the log.',
  log_inclusion:
    'The proof is not of this affidavit: what follows from the file is not in the log at that ' +
    'place. Get the proof of this very file.',
  log_proof_malformed: 'The proof cannot be read as a `.tlog-proof`. Get it anew.',
  log_signature: 'The signature of the log over its checkpoint is not good. Get the proof anew.',
  log_witness:
    'A witness that was asked for has not signed the checkpoint, or its signature is not good. ' +
    'Get a proof under a checkpoint that it has signed.',
  malformed: 'The file cannot be read as a sealed PDF. Get it anew.',
  not_an_affidavit: 'The file is no PDF, or larger than any affidavit. Give the file itself.',
  pages_differ:
    'The pages do not say what the attached data says. Do not rely on the file: get it anew.',
  renderer_unknown:
    'The affidavit is of a form that this version does not read. Verify it with the version that ' +
    'made it, or a newer one.',
  revision:
    'Something was added after the seal that is neither its validation data nor the time stamp ' +
    'over the whole file. Do not rely on the file: get it anew.',
  revocation_unknown:
    'Whether a certificate was revoked is not known: the file holds no lists of its own, or what ' +
    'was given is not of every authority, or has run out. Give those of today with `--crl`.',
  revoked:
    'The certificate of the seal, of a time stamp or of an authority above them was revoked ' +
    'before the file was stamped, or the key of the last time stamp was stolen. Do not rely on ' +
    'the file.',
  root_not_trusted:
    'The seal is of an authority that was not given as trusted. Get its root from the issuer by ' +
    'a way you trust, and give it with `--root`.',
  seal_signature: 'The seal is not of the key it names. Do not rely on the file.',
  timestamp:
    'The time stamp is not over this seal, or its certificate is not for time stamps alone. Do ' +
    'not rely on the file.',
  timestamp_expired:
    'The certificates of a time stamp had ended at the instant the file is verified at, or ' +
    'before the next stamp was given. Where none is later, verify it at an instant before ' +
    'their end.',
  timestamp_in_future:
    'The file was stamped after the instant it is verified at. Verify it at a later one.',
  timestamp_missing:
    'The seal has no time stamp, and its certificates were not in force at the instant it is ' +
    'verified at: its age is not proven. Get the file anew, or verify it at an earlier instant.',
  validation_data:
    'The certificates and revocation lists that go with the seal are not all there, or not those ' +
    'of this seal. Get the file anew.',
} as const satisfies Readonly<Record<string, string>>;

/** A reason code of the verdict on an affidavit. */
export type VerifyReason = keyof typeof verifyReasons;
