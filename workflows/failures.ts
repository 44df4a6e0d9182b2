/**
 * Every fault the platform can name, with the HTTP status and title its answer carries.
 * Workflows and activities fail with these codes; only the API turns them into a status.
 */
export const failures = {
  account_mismatch: { status: 403, title: 'The credential belongs to another account' },
  account_required: { status: 400, title: 'An account has to be named' },
  affidavit_invalid: { status: 500, title: 'The affidavit does not verify' },
  affidavit_unmakeable: { status: 500, title: 'The affidavit cannot be made' },
  already_begun: { status: 409, title: 'Another client has begun this link' },
  already_paired: { status: 409, title: 'Another device already runs this trust check' },
  already_member: { status: 409, title: 'The person is a member with other roles' },
  api_key_required: { status: 400, title: 'An API key is needed' },
  app_id_mismatch: { status: 403, title: 'The attestation is that of another app' },
  app_id_reserved: { status: 422, title: 'No app can have this id' },
  app_id_taken: { status: 409, title: 'Another app has this id' },
  app_key_refused: { status: 403, title: 'API key for all apps required' },
  app_limit: { status: 409, title: 'The account has as many apps as it may' },
  attempts_exhausted: { status: 409, title: 'No attempts are left for this proof' },
  assurance_required: { status: 403, title: 'A session by certified device is needed' },
  attest_malformed: { status: 422, title: 'The attest header cannot be read' },
  attest_nonce_required: { status: 401, title: 'A fresh attest nonce is needed' },
  attestation_refused: { status: 403, title: 'The device attestation was refused' },
  body_mismatch: { status: 403, title: 'The attest header speaks of another body' },
  body_unexpected: { status: 400, title: 'The operation takes no body' },
  body_timeout: { status: 408, title: 'The body did not arrive in time' },
  calendar_not_connected: { status: 400, title: 'Calendar not connected' },
  category_refused: { status: 403, title: 'The build of the app is not allowed' },
  challenge_unknown: { status: 401, title: 'The challenge is unknown, used or expired' },
  consent_required: { status: 409, title: 'Consent has not been given yet' },
  counter_replay: { status: 403, title: 'The attestation was used before' },
  credential_ambiguous: { status: 400, title: 'Send one credential, not two' },
  credential_expired: { status: 401, title: 'Expired credential' },
  credential_invalid: { status: 401, title: 'Invalid credential' },
  credential_malformed: { status: 401, title: 'Malformed credential' },
  credential_missing: { status: 401, title: 'Missing credential' },
  dependency_unavailable: { status: 503, title: 'A needed service is not answering' },
  device_enrolled: { status: 409, title: 'The key of this device is enrolled already' },
  device_not_paired: { status: 403, title: 'The attesting device is not the paired one' },
  device_required: { status: 409, title: 'A proof of this check needs an attested device' },
  device_revoked: { status: 403, title: 'The device has been revoked' },
  email_code_required: {
    status: 401,
    title: 'The code shown where the mail was asked for is needed',
  },
  email_token_invalid: { status: 401, title: 'The mailed token is unknown, used or expired' },
  endpoint_limit: { status: 409, title: 'The account has as many webhook endpoints as it may' },
  evidence_limit: { status: 409, title: 'This check holds as much evidence as it may' },
  evidence_unknown: { status: 422, title: 'The named evidence does not exist' },
  expand_refused: { status: 403, title: 'The caller may not expand this' },
  four_eyes_required: { status: 403, title: 'Decision by another person required' },
  forbidden_target: { status: 422, title: 'The address is not allowed' },
  gone: { status: 410, title: 'What was asked for has been removed' },
  headers_too_large: { status: 431, title: 'Request headers too large' },
  host_refused: { status: 421, title: 'It is not shown under this name of the host' },
  idempotency_in_progress: { status: 409, title: 'A request with this key is still running' },
  idempotency_key_invalid: { status: 422, title: 'The Idempotency-Key header is not valid' },
  idempotency_mismatch: { status: 409, title: 'The key was used with another request' },
  identity_owned: { status: 409, title: 'The login email belongs to another person' },
  insufficient_scope: { status: 403, title: 'The API key lacks a scope' },
  invalid_state: { status: 409, title: 'Not possible in the current state' },
  key_ended: { status: 409, title: 'The API key has ended' },
  key_refused: { status: 422, title: 'The key cannot be certified' },
  key_rotated: { status: 409, title: 'The API key is already rotated' },
  last_admin: { status: 409, title: 'The account needs another ADMIN first' },
  last_login_email: { status: 409, title: 'It is the only login of this person' },
  link_not_active: { status: 409, title: 'The link is not active' },
  link_token_required: { status: 401, title: 'The link token is missing or wrong' },
  live_key_required: { status: 403, title: 'Live API key required' },
  mail_rejected: { status: 422, title: 'The mail cannot be delivered' },
  malformed_json: { status: 422, title: 'The body is not valid JSON' },
  media_type_unsupported: { status: 415, title: 'The media type is not supported' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  membership_required: { status: 401, title: 'The caller is no member of that account' },
  not_found: { status: 404, title: 'Not found' },
  object_conflict: { status: 409, title: 'Another file lies under this key' },
  object_key_invalid: { status: 422, title: 'The name of the file is not allowed' },
  own_sign_in_required: { status: 403, title: 'A session for one account alone does not do' },
  payload_unreadable: { status: 422, title: 'A payload cannot be opened' },
  phone_refused: { status: 422, title: 'The phone number cannot receive a code' },
  platform_not_configured: { status: 409, title: 'The platform is not configured' },
  precondition_failed: { status: 412, title: 'The resource has changed meanwhile' },
  proof_not_expected: { status: 409, title: 'This check does not ask for that proof' },
  provider_taken: { status: 409, title: 'Another account has a provider of this name' },
  recovery_not_proven: { status: 409, title: 'The check of the recovery proves nothing' },
  recovery_open: { status: 409, title: 'Another recovery of the person is open' },
  recovery_unavailable: { status: 409, title: 'Recovery not possible' },
  rate_limited: { status: 429, title: 'Too many requests' },
  request_mismatch: { status: 403, title: 'The attest header speaks of another request' },
  resend_too_soon: { status: 429, title: 'A code was sent moments ago' },
  role_required: { status: 403, title: 'The caller lacks the needed role' },
  second_admin_required: { status: 409, title: 'Second ADMIN required' },
  sends_exhausted: { status: 409, title: 'No more codes can be sent for this check' },
  session_limit: { status: 409, title: 'The link has as many open sessions as it may' },
  session_required: { status: 400, title: 'A session is needed' },
  signature_invalid: { status: 403, title: 'The signature does not hold' },
  signing_proof_invalid: { status: 422, title: 'The signing key has not signed the challenge' },
  sms_rejected: { status: 422, title: 'The number cannot receive text messages' },
  step_up_required: { status: 403, title: 'Recent proof of a certified device is needed' },
  subject_may_not_review: { status: 403, title: 'Nobody reviews their own check' },
  test_key_required: { status: 403, title: 'Test API key required' },
  test_mode_required: { status: 403, title: 'Test mode only' },
  too_large: { status: 413, title: 'The body is too large' },
  tos_changed: { status: 409, title: 'The terms have changed' },
  trust_list_invalid: { status: 500, title: 'The list of trusted issuers cannot be used' },
  unknown_version: { status: 400, title: 'Unknown version of the interface' },
  unexpected: { status: 500, title: 'Unexpected fault' },
} as const satisfies Record<string, { status: number; title: string }>;

export type FailureCode = keyof typeof failures;

/**
 * A fault with a stable code. `detail` may be shown to the caller; `cause` goes to the log only.
 * `extra` is merged into the problem body (for instance the current `tos_version`).
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;
  /** Headers of the answer that tells of it. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: FailureCode,
    options: {
      detail?: string;
      cause?: unknown;
      extra?: Record<string, unknown>;
      retryAfterSeconds?: number;
      headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(options.detail ?? failures[code].title, { cause: options.cause });
    this.code = code;
    this.extra = options.extra ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
  }
}
