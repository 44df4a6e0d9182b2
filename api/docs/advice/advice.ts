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
    when: 'The credential is valid, but for another account than the one in the request.',
    remedy: 'Use a credential of that account, or switch the session to it.',
  },
  affidavit_invalid: {
    when:
      'The sealed affidavit of a decided check does not verify. The decision of the check ' +
      'stays valid.',
    remedy: 'Nothing. The service tries again every day. The log of the operator has the cause.',
  },
  affidavit_unmakeable: {
    when:
      'The service cannot write or seal the affidavit of a decided check. The decision of the ' +
      'check stays valid.',
    remedy: 'Nothing. The service tries again every day. The log of the operator has the cause.',
  },
  already_paired: {
    when: 'A second device tries to join a trust check that another device runs.',
    remedy:
      'Continue on the first device, or cancel the check and begin another one from the link.',
  },
  app_id_mismatch: {
    when:
      'The device was enrolled with another app, or its app is archived or has no identity ' +
      'for that platform.',
    remedy:
      'Send the request from the app that enrolled the device, or enroll the device again. ' +
      'Set the identity of an app as `apple` or `android` with `apps.update`.',
  },
  attempts_exhausted: {
    when:
      'The check has used all challenges: five for a face that expired, or twenty with ' +
      'commands for a chip.',
    remedy: 'Read the session for its outcome. Begin another check if the link allows one.',
  },
  attest_malformed: {
    when: 'The attest header is not base64url of the documented JSON object, or is too large.',
    remedy: 'Build the header again: base64url without padding, at most 16 KiB.',
  },
  attest_nonce_required: {
    when:
      'The attest header has no nonce, or a nonce that was used or is older than five ' +
      'minutes.',
    remedy: 'Sign again with the nonce in the `Attest-Nonce` header of this answer.',
  },
  attestation_refused: {
    when:
      'The attestation or assertion of the device is not valid: its key, app, counter or body ' +
      'differs.',
    remedy:
      'Use a genuine build on a genuine device. After a reinstallation, enroll the device ' +
      'again.',
  },
  body_mismatch: {
    when: 'The hash in the signed client data is not the hash of the received body.',
    remedy: 'Hash the bytes that you send with SHA-256, in lower-case hex.',
  },
  body_timeout: {
    when: 'The body took longer than 15 seconds plus one second for each 64 kB.',
    remedy: 'Send it again over a faster connection, or send a smaller upload.',
  },
  category_refused: {
    when:
      'The build came to the device through a channel that the app does not allow, for ' +
      'example a copy signed by another developer.',
    remedy: 'Install the app from its store.',
  },
  challenge_unknown: {
    when: 'The challenge does not exist, was used, or has expired.',
    remedy: 'Request a new challenge and use it once, before it expires.',
  },
  counter_replay: {
    when: 'The counter of the assertion is not higher than the last one of this key.',
    remedy:
      'Create a new assertion for each request. Send the requests of one device one after the ' +
      'other.',
  },
  dependency_unavailable: {
    when:
      'The database, the workflow server, the object store or a provider does not answer in ' +
      'time.',
    remedy:
      'Repeat the request after `Retry-After` with the same Idempotency-Key. The service ' +
      'continues what it has begun.',
  },
  device_enrolled: {
    when:
      'The attested key is already enrolled, for this person or another one. Each key belongs ' +
      'to one installation.',
    remedy: 'Create a new attested key and enroll it.',
  },
  device_not_paired: {
    when: 'The device that signs the request is not the one that runs this trust check.',
    remedy: 'Send the request from the paired device.',
  },
  device_required: {
    when: 'The check requests a proof that needs an attested phone, and no phone has signed.',
    remedy: 'Open the link in the app on a phone.',
  },
  device_revoked: {
    when: 'The owner or the service has revoked the device.',
    remedy: 'Enroll the device again with a new key.',
  },
  endpoint_limit: {
    when: 'The account has as many webhook endpoints as the platform allows.',
    remedy: 'Remove an endpoint that you do not need, or add event types to an existing one.',
  },
  forbidden_target: {
    when:
      'The address of a webhook or logo is not https, is not public, or has credentials. Or ' +
      'the app does not list the origin of `return_to`.',
    remedy:
      'Use a public https address without user name and password. For `return_to`, use an ' +
      'origin in `allowed_origins` of the app or the origin of its `redirect_url`, or change ' +
      'them with `apps.update`.',
  },
  gone: {
    when: 'The object existed. It was removed on request or at the end of its retention.',
    remedy: 'It cannot be restored. Its affidavit can still be verified.',
  },
  host_refused: {
    when:
      'A page for development was requested under a host name that is neither this machine ' +
      'nor the host of the service. A web page could use such a name to reach the service.',
    remedy: 'Open the page under `localhost`, the host of BASE_URL, or the address in `HOST`.',
  },
  idempotency_in_progress: {
    when: 'Another request with the same Idempotency-Key is still running.',
    remedy: 'Wait for `Retry-After`, then send the same request again to get its answer.',
  },
  idempotency_key_invalid: {
    when:
      'The Idempotency-Key is empty, longer than 255 characters, or not printable ASCII. ' +
      'Without a credential, it needs at least 22 characters.',
    remedy: 'Use a random UUID.',
  },
  idempotency_mismatch: {
    when: 'Within the last 24 hours, the Idempotency-Key was used for another path or body.',
    remedy: 'Use a new key for each new request. Repeat a key only with the same request.',
  },
  key_refused: {
    when: 'The key is not a point on the curve P-256.',
    remedy: 'Send a P-256 key as a JWK.',
  },
  link_not_active: {
    when: 'The link is paused, used up, expired or not yet valid. `detail` says which.',
    remedy: 'Ask the sender for another link, or wait until the link is valid.',
  },
  link_token_required: {
    when: 'The link was mailed, and the token in its fragment is missing or wrong.',
    remedy: 'Open the link from the mail. The token follows `#t=`.',
  },
  mail_rejected: {
    when: 'The mail provider refuses the message or the address permanently.',
    remedy: 'Correct the address.',
  },
  malformed_json: {
    when: 'The message is not JSON of the expected form.',
    remedy: 'Send UTF-8 JSON without duplicate members.',
  },
  media_type_unsupported: {
    when: 'The operation does not accept this media type, or the body is compressed.',
    remedy: 'Send `application/json`, or the raw bytes if the operation accepts a file.',
  },
  method_not_allowed: {
    when: 'The path exists, but not with this HTTP method.',
    remedy: 'Use one of the methods in the `Allow` header of the answer.',
  },
  not_found: {
    when: 'The object does not exist, or the caller may not see it. Both get the same answer.',
    remedy: 'Check the id and the credential.',
  },
  object_conflict: {
    when: 'Another file is stored under this name.',
    remedy: 'Stored files never change. Store the new file under another name.',
  },
  object_key_invalid: {
    when: 'The name of a file has characters or parts that are not allowed.',
    remedy: 'Use letters, digits, dots, dashes and slashes only.',
  },
  payload_unreadable: {
    when: 'The payload was sealed under another key or namespace, or is damaged.',
    remedy: 'Send the complete payload, from the namespace of this platform.',
  },
  platform_not_configured: {
    when: 'The account has no connection to the platform that the operation needs.',
    remedy: 'Ask an administrator of the account to connect the platform.',
  },
  precondition_failed: {
    when: '`If-Match` names a version that is not the current one.',
    remedy: 'Read the resource, apply your change to it, and send its new ETag.',
  },
  rate_limited: {
    when:
      'The caller has reached a limit of the operation. The `RateLimit` headers report what ' +
      'is left.',
    remedy: 'Wait for `Retry-After`.',
  },
  request_mismatch: {
    when:
      'The method, the path with its query, or the time in the signed client data differ from ' +
      'the request.',
    remedy:
      'Sign the method in upper case, the path with its query as you send it, and the current ' +
      'time.',
  },
  role_required: {
    when: 'The caller belongs to the account, but the operation needs a higher role.',
    remedy: 'Ask a member with that role, or have the role granted.',
  },
  signature_invalid: {
    when: 'The signature over the client data is not valid for the key of an enrolled device.',
    remedy:
      'Sign with the attested key of the device in the header. If the device is unknown, ' +
      'enroll it.',
  },
  signing_proof_invalid: {
    when:
      'The proof is not a compact JWS (ES256) of the signing key over the bytes of the ' +
      'challenge.',
    remedy: 'Sign header and challenge, separated by a dot, with the key that you want certified.',
  },
  too_large: {
    when:
      'The body is larger than the operation accepts: 256 KiB of JSON, or the limit for ' +
      'files.',
    remedy: 'Send a smaller body.',
  },
  trust_list_invalid: {
    when: 'The service cannot read or verify its list of trusted issuers.',
    remedy: 'An operator must install a valid list. The service decides nothing until then.',
  },
  unexpected: {
    when: 'The service has an error. Its log has the details under the `request_id`.',
    remedy: 'Try again with the same Idempotency-Key. If the error stays, report the `request_id`.',
  },
};
