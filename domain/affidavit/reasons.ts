import type { AffidavitFault } from '../../workflows/affidavit-faults.ts';

/** Why an affidavit could not be issued, and what to do. */
export const issueReasons: Readonly<Record<AffidavitFault, string>> = {
  affidavit_invalid:
    'The sealed file did not verify, so the service did not release it. The check is unchanged. ' +
    'The service tries again every day. The operator finds the cause in the log.',
  affidavit_unmakeable:
    'The service could not write or seal the affidavit, or the check was redacted first. The ' +
    'check is unchanged. Unless it is redacted, the service tries again every day. The operator ' +
    'finds the cause in the log.',
};

/** Why an affidavit does not verify: for each code its meaning, then what to do. */
export const verifyReasons = {
  attachment: 'The attached data does not match its schema. Do not rely on the file: get it again.',
  attachment_missing: 'The file lacks the attached data of the pages. Get the file again.',
  byte_range:
    'The seal does not cover the whole file: something was added in it or after it. Get the file ' +
    'again.',
  certificate_purpose:
    'A certificate has the wrong purpose: that of the seal, or that of an authority above the ' +
    'seal or the time stamp. Do not rely on the file.',
  chain:
    'The certificates of the seal and the time stamp do not lead to one authority, or were not ' +
    'valid at the stamped time. Do not rely on the file.',
  content_changed:
    'The sealed bytes of the file were changed. Do not rely on the file: get it again.',
  document_timestamp:
    'The time stamp over the whole file does not belong to this file, or its certificate is not ' +
    'for time stamps alone. Do not rely on the file: get it again.',
  evidence_differs:
    'The evidence does not match the hash in the affidavit. Part of it was changed or is ' +
    'missing, or it belongs to another check. Get both files again.',
  hidden_bytes:
    'The seal, or the data after it, contains bytes that no signature covers. Get the file again.',
  log_downgraded:
    'The checkpoint of the log proof is older than the known checkpoint of the log. Get a newer ' +
    'log proof.',
  log_entry_missing:
    'The seal has no time stamp, and the log proof has no entry with a time. So the entry cannot ' +
    'be looked up in the log. Get the log proof again.',
  log_foreign:
    'The log proof belongs to another log, or the trusted log did not sign its checkpoint. Get ' +
    'the log proof from the log that you trust.',
  log_forked:
    'The log signed two different trees of one size: it shows different entries to different ' +
    'readers. Keep both checkpoints, and do not rely on the log.',
  log_inclusion:
    'The log proof does not belong to this affidavit: the log has no entry of this file at that ' +
    'position. Get the log proof of this file.',
  log_proof_malformed: 'The log proof is not a readable `.tlog-proof`. Get it again.',
  log_signature: 'The log’s signature of its checkpoint is invalid. Get the log proof again.',
  log_witness:
    'The checkpoint has no valid signature of a required witness. Get a log proof whose ' +
    'checkpoint that witness signed.',
  malformed: 'The file is not a readable sealed PDF. Get it again.',
  not_an_affidavit:
    'The file is not a PDF, or it is larger than any affidavit. Select the affidavit itself.',
  pages_differ: 'The pages do not match the attached data. Do not rely on the file: get it again.',
  renderer_unknown:
    'This version cannot read the form of the affidavit. Verify it with the version that made ' +
    'it, or with a newer one.',
  revision:
    'After the seal, the file has an addition that is neither validation data nor a time stamp ' +
    'over the whole file. Do not rely on the file: get it again.',
  revocation_unknown:
    'It is unknown whether a certificate was revoked. The file has no revocation lists, or the ' +
    'lists that you gave lack an authority or have expired. Give current lists with `--crl`.',
  revoked:
    'A certificate of the seal, a time stamp or their authorities was revoked before the time ' +
    'stamp. Another cause is a stolen key of the last time stamp. Do not rely on the file.',
  root_not_trusted:
    'The seal leads to no trusted root. Get the root certificate from the issuer in a way that ' +
    'you trust, and give it with `--root`.',
  seal_signature:
    'The signature of the seal does not verify with the key of its certificate. Do not rely on ' +
    'the file.',
  timestamp:
    'The time stamp does not belong to this seal, or its certificate is not for time stamps ' +
    'alone. Do not rely on the file.',
  timestamp_expired:
    'The certificates of a time stamp expired before the time of verification, or before the ' +
    'next time stamp. If there is no later time stamp, verify the file at a time before they ' +
    'expired.',
  timestamp_in_future:
    'The time stamp is later than the time of verification. Verify the file at a later time.',
  timestamp_missing:
    'The seal has no time stamp, and its certificates were not valid at the time of ' +
    'verification. So the age of the file is not proven. Get the file again, or verify it at an ' +
    'earlier time.',
  validation_data:
    'The certificates and revocation lists of the seal are incomplete or belong to another seal. ' +
    'Get the file again.',
} as const satisfies Readonly<Record<string, string>>;

/** A reason code of the verdict on an affidavit. */
export type VerifyReason = keyof typeof verifyReasons;
