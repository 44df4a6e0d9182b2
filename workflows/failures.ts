/**
 * Every failure code of the platform. Workflows and activities fail with these codes; the API maps
 * each to a status and a title (`api/http/problem/failure-answers.ts`).
 */
export const failureCodes = [
  'account_mismatch',
  'account_required',
  'affidavit_invalid',
  'affidavit_unmakeable',
  'already_begun',
  'already_paired',
  'already_member',
  'api_key_required',
  'app_id_mismatch',
  'app_id_reserved',
  'app_id_taken',
  'app_key_refused',
  'app_limit',
  'attempts_exhausted',
  'assurance_required',
  'attest_malformed',
  'attest_nonce_required',
  'attestation_refused',
  'body_mismatch',
  'body_unexpected',
  'body_timeout',
  'dpop_proof_required',
  'calendar_not_connected',
  'category_refused',
  'challenge_unknown',
  'consent_required',
  'counter_replay',
  'credential_ambiguous',
  'credential_expired',
  'credential_invalid',
  'credential_malformed',
  'credential_missing',
  'dependency_unavailable',
  'device_enrolled',
  'device_not_paired',
  'device_required',
  'device_revoked',
  'email_code_required',
  'email_token_invalid',
  'endpoint_limit',
  'evidence_limit',
  'evidence_unknown',
  'expand_refused',
  'four_eyes_required',
  'forbidden_target',
  'gone',
  'headers_too_large',
  'host_refused',
  'idempotency_in_progress',
  'idempotency_key_invalid',
  'idempotency_mismatch',
  'identity_owned',
  'insufficient_scope',
  'invalid_dpop_proof',
  'invalid_state',
  'key_ended',
  'key_refused',
  'key_rotated',
  'last_admin',
  'last_login_email',
  'link_not_active',
  'link_token_required',
  'logo_refused',
  'live_key_required',
  'mail_rejected',
  'malformed_json',
  'media_type_unsupported',
  'method_not_allowed',
  'membership_required',
  'not_found',
  'object_conflict',
  'object_key_invalid',
  'own_sign_in_required',
  'pair_token_ended',
  'payload_unreadable',
  'phone_refused',
  'platform_not_configured',
  'precondition_failed',
  'proof_not_expected',
  'provider_taken',
  'recovery_not_proven',
  'recovery_open',
  'recovery_unavailable',
  'rate_limited',
  'request_mismatch',
  'resend_too_soon',
  'review_not_offered',
  'role_required',
  'second_admin_required',
  'sends_exhausted',
  'session_limit',
  'session_required',
  'signature_invalid',
  'signing_proof_invalid',
  'sms_rejected',
  'step_up_required',
  'subject_may_not_review',
  'test_key_required',
  'test_mode_required',
  'too_large',
  'tos_changed',
  'trust_list_invalid',
  'unknown_version',
  'unexpected',
  'use_dpop_nonce',
] as const;
export type FailureCode = (typeof failureCodes)[number];

export const isFailureCode = (text: string): text is FailureCode =>
  (failureCodes as readonly string[]).includes(text);

/** Failures that a retry may fix. All others are faults of the request. */
export const retriedFailures: readonly FailureCode[] = [
  'affidavit_invalid',
  'affidavit_unmakeable',
  'dependency_unavailable',
  'trust_list_invalid',
  'unexpected',
];

/**
 * A failure with a stable code. `detail` may be shown to the caller; `cause` goes to the log only.
 * `extra` is merged into the problem body (for example the current `tos_version`).
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;
  /** Headers of the HTTP response that reports the failure. */
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
    super(options.detail ?? code, { cause: options.cause });
    this.code = code;
    this.extra = options.extra ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
  }
}
