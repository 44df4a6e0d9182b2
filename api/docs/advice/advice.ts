import type { FailureCode } from '../../../workflows/failures.ts';
import { accountAdvice } from './account-advice.ts';
import { checkAdvice } from './check-advice.ts';
import { credentialAdvice } from './credential-advice.ts';
import { identityAdvice } from './identity-advice.ts';

/** What a page of a failure code says beyond the table of failures. */
export interface Advice {
  /** When it happens. */
  readonly when: string;
  /** What the caller can do about it. */
  readonly remedy: string;
}

export const advice: Readonly<Record<FailureCode, Advice>> = {
  ...accountAdvice,
  ...checkAdvice,
  ...credentialAdvice,
  ...identityAdvice,
  account_mismatch: {
    when: 'The credential is good, but it was made for another account than the one asked about.',
    remedy: 'Use a credential of that account, or switch the session to it.',
  },
  affidavit_invalid: {
    when: 'The affidavit of a decided check was sealed and then did not verify; the check stands.',
    remedy: 'Nothing: it is tried again every day. Its operator finds the cause in the log.',
  },
  affidavit_unmakeable: {
    when: 'The affidavit of a decided check could not be written or sealed; the check stands.',
    remedy: 'Nothing: it is tried again every day. Its operator finds the cause in the log.',
  },
  already_paired: {
    when: 'A second device tries to join a trust check that a first one already runs.',
    remedy: 'Go on with the first device, or cancel the check and begin another from the link.',
  },
  app_id_mismatch: {
    when:
      'The device was enrolled with another app, or its app is archived or has no identity for ' +
      'that platform.',
    remedy:
      'Send the request from the app the device was enrolled with, or enroll the device again. ' +
      'An app without an identity gets one as `apple` or `android` of `apps.update`.',
  },
  attempts_exhausted: {
    when:
      'A challenge is asked for after five that a face let end, or after twenty with commands ' +
      'for a chip.',
    remedy: 'Read the session for its outcome. Begin another check when the link still allows one.',
  },
  attest_malformed: {
    when:
      'The attest header is not base64url of the JSON object the interface describes, or too ' +
      'large.',
    remedy: 'Build the header anew; mind that it is base64url without padding, at most 16 KiB.',
  },
  attest_nonce_required: {
    when: 'The attest header carries no nonce, or one that is used up or older than five minutes.',
    remedy: 'Sign again with the nonce in the Attest-Nonce header of this very answer.',
  },
  attestation_refused: {
    when:
      'The attestation or assertion of the device does not hold: key, app, counter or body ' +
      'differ.',
    remedy:
      'Use a genuine build on a genuine device. After a reinstallation enroll the device again.',
  },
  body_mismatch: {
    when: 'The hash in the signed client data is not that of the body that arrived.',
    remedy: 'Hash the raw bytes exactly as they are sent, with SHA-256, in lower-case hex.',
  },
  body_timeout: {
    when: 'The body of the request arrived slower than 15 seconds and one more for each 64 kB.',
    remedy: 'Send it again over a better connection; a smaller upload arrives sooner.',
  },
  category_refused: {
    when:
      'The build reached the device by a channel that is not allowed, such as a copy signed by ' +
      'somebody else.',
    remedy: 'Install the app from its store.',
  },
  challenge_unknown: {
    when: 'The challenge was never given out, has been used, or has expired.',
    remedy: 'Ask for a new challenge and use it once, within its life.',
  },
  counter_replay: {
    when: 'The counter of the assertion is not above the highest one seen of this key.',
    remedy:
      'Make a new assertion for every request, and send requests of one device one after the ' +
      'other.',
  },
  dependency_unavailable: {
    when:
      'The database, the workflow server, the object store or a provider does not answer in ' +
      'time.',
    remedy:
      'Try again after Retry-After with the same Idempotency-Key: what was begun is continued.',
  },
  device_enrolled: {
    when: 'The attested key is enrolled already, whoever it belongs to: one key is one install.',
    remedy: 'Make a new attested key and enroll that.',
  },
  device_not_paired: {
    when: 'The device that signs the request is not the one that runs this trust check.',
    remedy: 'Send the request from the paired device.',
  },
  device_required: {
    when: 'The check asks for a proof that only an attested phone can yield, and none has signed.',
    remedy: 'Open the link in the app on a phone.',
  },
  device_revoked: {
    when: 'The device was revoked by its owner.',
    remedy: 'Enroll the device again with a new key.',
  },
  endpoint_limit: {
    when: 'A webhook endpoint is added to an account that has as many as the platform allows.',
    remedy: 'Remove one that is no longer needed, or let one endpoint take more types of event.',
  },
  forbidden_target: {
    when:
      'The address of a webhook or logo is not https, is not public, or carries credentials; or ' +
      'the origin of return_to is not one that the app lists.',
    remedy:
      'Use a public https address without user name and password. For return_to, use an origin ' +
      'in `allowed_origins` of the app or that of its `redirect_url`, or change these with ' +
      '`apps.update`.',
  },
  gone: {
    when: 'The thing existed and was removed on request or by retention.',
    remedy: 'Nothing brings it back. Its affidavit can still be verified.',
  },
  host_refused: {
    when:
      'A page of development was asked for by a name of the host that is neither this machine’s ' +
      'nor the one the service is set up under: a web page could lend it that name.',
    remedy: 'Open it by `localhost` or by the host of BASE_URL; `HOST` counts too.',
  },
  idempotency_in_progress: {
    when: 'Another request with the same Idempotency-Key has not been answered yet.',
    remedy: 'Wait for Retry-After and send the same request again to get its answer.',
  },
  idempotency_key_invalid: {
    when:
      'The Idempotency-Key is empty, longer than 255 characters, or not printable ASCII; or it ' +
      'came without a credential and has fewer than 22.',
    remedy: 'Use a random UUID.',
  },
  idempotency_mismatch: {
    when: 'The Idempotency-Key was used within 24 hours for another path or body.',
    remedy: 'Use a new key for a new request; keep the key only for the very same one.',
  },
  key_refused: {
    when: 'The key to be certified is not a point on the curve P-256.',
    remedy: 'Offer a P-256 key as a JWK.',
  },
  link_not_active: {
    when: 'The link is paused, used up, expired or not yet valid; detail names which.',
    remedy: 'Ask whoever sent the link for another, or wait until it is valid.',
  },
  link_token_required: {
    when: 'The link was mailed, and the token from its fragment is missing or wrong.',
    remedy: 'Open the link from the mail itself; the token follows #t= in it.',
  },
  mail_rejected: {
    when: 'The mail provider refuses the message or the address for good.',
    remedy: 'Correct the address.',
  },
  malformed_json: {
    when: 'The message is not JSON of the expected form.',
    remedy: 'Send UTF-8 JSON without duplicate members.',
  },
  media_type_unsupported: {
    when: 'The body is not of a media type this operation takes, or is compressed.',
    remedy: 'Send application/json, or the raw bytes where the operation takes a file.',
  },
  method_not_allowed: {
    when: 'The path exists, and the operation for this HTTP method does not.',
    remedy: 'Use one of the methods in the `Allow` header of the answer.',
  },
  not_found: {
    when: 'Nothing is there, or the caller may not know of it. The two cannot be told apart.',
    remedy: 'Check the id and whose credential is used.',
  },
  object_conflict: {
    when: 'Another file is already stored under this name.',
    remedy: 'Stored files never change. Store the new one under a name of its own.',
  },
  object_key_invalid: {
    when: 'The name of a file has characters or parts that are not allowed.',
    remedy: 'Use letters, digits, dots, dashes and slashes only.',
  },
  payload_unreadable: {
    when: 'The payload was sealed under another key or namespace, or is damaged.',
    remedy: 'Take the payload whole, from the namespace of this platform.',
  },
  platform_not_configured: {
    when: 'The account has no connection to the platform the operation needs.',
    remedy: 'Let an administrator of the account connect the platform.',
  },
  precondition_failed: {
    when: 'If-Match names a version that is no longer the current one.',
    remedy: 'Read the resource, apply the change to what it is now, and send its new ETag.',
  },
  rate_limited: {
    when: 'More calls than the limit of the operation allows; RateLimit headers tell what is left.',
    remedy: 'Wait for Retry-After.',
  },
  request_mismatch: {
    when:
      'Method, path with query, or time in the signed client data are not those of the ' +
      'request.',
    remedy: 'Sign the method in upper case, the path with its query as sent, and the current time.',
  },
  role_required: {
    when: 'The caller belongs to the account, but with a lower role than the operation needs.',
    remedy: 'Let someone with that role do it, or grant the role.',
  },
  signature_invalid: {
    when: 'The signature is not that of an enrolled device’s key over the client data.',
    remedy:
      'Sign with the attested key of the device the header names; enroll it when it is not known ' +
      'here.',
  },
  signing_proof_invalid: {
    when:
      'The proof is not a compact JWS (ES256) by the signing key over the bytes of the ' +
      'challenge.',
    remedy: 'Sign header and challenge, separated by a dot, with the key that is to be certified.',
  },
  too_large: {
    when: 'The body is larger than the operation takes: 256 KiB of JSON, or its own cap for files.',
    remedy: 'Send less.',
  },
  trust_list_invalid: {
    when: 'The configured list of trusted issuers cannot be read or verified.',
    remedy: 'An operator must install a good list. Nothing was decided in the meantime.',
  },
  unexpected: {
    when: 'A fault of ours. What happened is in our log under the request_id.',
    remedy: 'Try again with the same Idempotency-Key; report the request_id if it stays.',
  },
};
