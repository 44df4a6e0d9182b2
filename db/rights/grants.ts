/**
 * The privileges of each process, in the syntax of `GRANT`; an empty text grants none. The test
 * `database-roles` fails for a table without an entry, and for a privilege that no statement of the
 * process needs. Trigger functions run as the owner.
 * See docs/decisions/008-database-rights.md.
 */
export interface Grants {
  readonly api: string;
  readonly worker: string;
}

export const tableGrants: Readonly<Record<string, Grants>> = {
  'public.accounts': { api: 'SELECT, UPDATE', worker: 'SELECT' },
  'public.affidavits': { api: 'SELECT, UPDATE (content_sealed)', worker: 'SELECT, INSERT, UPDATE' },
  'public.api_keys': {
    api: 'SELECT, INSERT, UPDATE (last_used_at, revoked_at, sso_member, replaced_by, expires_at)',
    worker: 'SELECT',
  },
  'public.app_logos': {
    api: 'SELECT, INSERT, UPDATE (sha256, png, created_at), DELETE',
    worker: '',
  },
  'public.apps': { api: 'SELECT, INSERT, UPDATE', worker: 'SELECT' },
  'public.audit_heads': {
    api: 'SELECT, INSERT, UPDATE (seq, hash)',
    worker: 'SELECT, INSERT, UPDATE (seq, hash, checkpoints, checkpoint_seq)',
  },
  'public.audit_rows': { api: 'SELECT, INSERT', worker: 'SELECT, INSERT' },
  'public.calendar_answers': {
    api: 'SELECT, INSERT, UPDATE, DELETE',
    worker: 'SELECT, UPDATE, DELETE',
  },
  'public.calendar_connections': { api: 'SELECT', worker: 'SELECT, INSERT, UPDATE' },
  'public.calendar_flows': {
    api: 'SELECT, INSERT, UPDATE, DELETE',
    worker: 'SELECT, UPDATE, DELETE',
  },
  'public.certificates': {
    api: 'SELECT, INSERT, UPDATE (der, revoked_at, invalidity_date, revocation_reason)',
    worker: 'SELECT, UPDATE (revoked_at, invalidity_date, revocation_reason)',
  },
  'public.challenges': { api: 'SELECT, INSERT, UPDATE, DELETE', worker: '' },
  'public.crls': { api: 'SELECT, INSERT, UPDATE', worker: 'SELECT, INSERT, UPDATE' },
  'public.data_keys': { api: 'SELECT, INSERT', worker: 'SELECT, INSERT' },
  'public.devices': { api: 'SELECT, INSERT, UPDATE', worker: 'SELECT, UPDATE' },
  'public.email_requests': {
    api: 'SELECT, INSERT, UPDATE (code_tries, state, consumed_at), DELETE',
    worker: 'SELECT, UPDATE, DELETE',
  },
  'public.events': { api: 'SELECT, INSERT', worker: 'SELECT, INSERT' },
  'public.evidence': {
    api: 'SELECT, INSERT, UPDATE (removed_at, name)',
    worker: 'SELECT, UPDATE (removed_at)',
  },
  'public.evidence_images': {
    api: 'SELECT, UPDATE (image_sealed, removed_at)',
    worker: 'SELECT, INSERT, UPDATE (image_sealed, removed_at)',
  },
  'public.evidence_uploads': {
    api: 'SELECT, INSERT, UPDATE (upload_id, begun_at), DELETE',
    worker: 'SELECT, UPDATE (swept_at), DELETE',
  },
  'public.face_marks': {
    api: 'SELECT, UPDATE, DELETE',
    worker: 'SELECT, INSERT, UPDATE (link_session_id, expires_at), DELETE',
  },
  'public.idempotency_keys': { api: 'SELECT, INSERT, UPDATE, DELETE', worker: '' },
  'public.invite_tokens': {
    api: 'SELECT, INSERT, UPDATE, DELETE',
    worker: 'SELECT, UPDATE, DELETE',
  },
  'public.invited_addresses': {
    api: 'SELECT, INSERT, UPDATE (created_at), DELETE',
    worker: 'SELECT',
  },
  'public.invited_people': {
    api: 'SELECT, INSERT, UPDATE (created_at, invited_id), DELETE',
    worker: '',
  },
  'public.join_sessions': {
    api: 'SELECT, INSERT, UPDATE',
    worker: 'SELECT, UPDATE (status, joined_at)',
  },
  'public.links': { api: 'SELECT, INSERT, UPDATE', worker: 'SELECT, UPDATE' },
  'public.log_entries': { api: 'SELECT', worker: '' },
  'public.log_totals': { api: 'SELECT', worker: '' },
  'public.login_emails': { api: 'SELECT, INSERT, UPDATE', worker: 'SELECT' },
  'public.mail_reports': {
    api: 'SELECT, INSERT, UPDATE, DELETE',
    worker: 'SELECT, UPDATE (awaits_signal)',
  },
  'public.meeting_participants': {
    api: 'SELECT, INSERT, UPDATE',
    worker: 'SELECT, INSERT, UPDATE',
  },
  'public.meeting_reports': {
    api: 'SELECT, INSERT, UPDATE (status), DELETE',
    worker: 'SELECT, UPDATE (status, sha256, size_bytes, available_at)',
  },
  'public.meetings': { api: 'SELECT, INSERT, UPDATE', worker: 'SELECT, UPDATE' },
  'public.member_mails': {
    api: 'SELECT, INSERT, UPDATE, DELETE',
    worker: 'SELECT, UPDATE (awaits_start, admitted_at, address_sealed, mailed_at), DELETE',
  },
  'public.memberships': {
    api: 'SELECT, INSERT, UPDATE (roles, managed_by), DELETE',
    worker: 'SELECT',
  },
  'public.opened_imports': {
    api: 'SELECT, INSERT, UPDATE (opened_at, expires_at), DELETE',
    worker: '',
  },
  'public.outbox_messages': {
    api: 'SELECT, INSERT, UPDATE (idempotency_key), DELETE',
    worker: 'SELECT, INSERT, UPDATE (idempotency_key)',
  },
  'public.phone_codes': {
    api: 'SELECT, INSERT, UPDATE, DELETE',
    worker: 'SELECT, UPDATE (guesses)',
  },
  'public.photos': {
    api: 'SELECT, DELETE',
    worker: 'SELECT, INSERT, UPDATE (expires_at), DELETE',
  },
  'public.platform_accounts': {
    api: 'SELECT, INSERT, UPDATE (connected_by, connected_at), DELETE',
    worker: '',
  },
  'public.platform_flows': {
    api: 'SELECT, INSERT, UPDATE, DELETE',
    worker: 'SELECT, UPDATE, DELETE',
  },
  'public.poly_users': {
    api: 'SELECT, INSERT, UPDATE (kind, identity_group_id, adopted_by)',
    worker: 'SELECT',
  },
  'public.prescreen_days': { api: 'SELECT', worker: 'SELECT, INSERT, UPDATE (counts)' },
  'public.prescreen_rollups': {
    api: 'SELECT',
    worker: 'SELECT, INSERT, UPDATE (account_seq, refreshed_at)',
  },
  'public.proof_challenges': {
    api: 'SELECT, INSERT, UPDATE (expires_at, provider_session), DELETE',
    worker: 'SELECT, UPDATE (used_at)',
  },
  'public.proof_submissions': {
    api: 'SELECT, INSERT, UPDATE (input_sealed, evidence_sealed, verdict, claims_sealed), DELETE',
    worker: 'SELECT, UPDATE',
  },
  'public.rate_limits': { api: 'SELECT, INSERT, UPDATE, DELETE', worker: '' },
  'public.recoveries': {
    api: 'SELECT, INSERT, UPDATE (status, decided_by, decided_at, device_id, completed_at)',
    worker: 'SELECT, UPDATE (status)',
  },
  'public.reviews': {
    api: 'SELECT, INSERT, UPDATE (note_sealed), DELETE',
    worker: 'SELECT, UPDATE (decided_at)',
  },
  'public.sessions': {
    api: 'SELECT, INSERT, UPDATE (revoked_at, account_id)',
    worker: 'SELECT, UPDATE (revoked_at), DELETE',
  },
  'public.sms_routes': {
    api: 'SELECT, INSERT, UPDATE (sent), DELETE',
    worker: 'SELECT, INSERT, UPDATE (verified), DELETE',
  },
  'public.sms_stops': {
    api: 'SELECT, INSERT, UPDATE (stopped_at, ends_at, sent, verified)',
    worker: '',
  },
  'public.spent_tokens': { api: 'SELECT, INSERT, UPDATE, DELETE', worker: '' },
  'public.sso_providers': { api: 'SELECT, INSERT, UPDATE, DELETE', worker: '' },
  'public.sso_subjects': {
    api: 'SELECT, INSERT, UPDATE (poly_user_id, last_login_at)',
    worker: '',
  },
  'public.stolen_secrets': { api: 'SELECT', worker: 'SELECT' },
  'public.streams': { api: 'SELECT, INSERT, UPDATE (seq)', worker: 'SELECT, INSERT, UPDATE (seq)' },
  'public.tickets': { api: 'SELECT, INSERT, UPDATE (report_sealed, ticket_id)', worker: '' },
  'public.timestamps': { api: '', worker: 'SELECT, INSERT' },
  'public.transparency_checkpoints': { api: 'SELECT, INSERT', worker: 'SELECT, INSERT' },
  'public.transparency_cosignatures': { api: 'SELECT', worker: 'SELECT, INSERT' },
  'public.transparency_entries': { api: 'SELECT', worker: 'SELECT, INSERT' },
  'public.transparency_nodes': { api: 'SELECT', worker: 'SELECT, INSERT' },
  'public.trust_checks': { api: 'SELECT, INSERT, UPDATE', worker: 'SELECT, UPDATE' },
  'public.webhook_attempts': { api: 'SELECT', worker: 'SELECT, INSERT, UPDATE' },
  'public.webhook_deliveries': {
    api: 'SELECT, INSERT, UPDATE (delivery_id)',
    worker: 'SELECT, INSERT, UPDATE (status, finished_at, started_at)',
  },
  'public.webhook_endpoints': {
    api: 'SELECT, INSERT, UPDATE',
    worker: 'SELECT, UPDATE (status, disabled_reason, updated_at)',
  },
  'public.webhook_inbox': {
    api: 'SELECT, INSERT, UPDATE, DELETE',
    worker: 'SELECT, UPDATE (awaits_signal, body_sealed, taken_at)',
  },
  // Views that the API searches: see docs/decisions/008-database-rights.md.
  'public.named_meetings': { api: 'SELECT', worker: '' },
  'public.listed_trust_checks': { api: 'SELECT', worker: '' },
  'public.listed_links': { api: 'SELECT', worker: '' },
  'drizzle.__drizzle_migrations': { api: 'SELECT', worker: 'SELECT' },
};

/** Sequences of `serial` columns. */
export const sequenceGrants: Readonly<Record<string, Grants>> = {
  'public.login_emails_identity_id_seq': { api: 'USAGE', worker: '' },
};

/** Functions, with their argument types. */
export const functionGrants: Readonly<Record<string, Grants>> = {
  'public.account_in_scope(integer)': { api: 'EXECUTE', worker: '' },
};

export const schemaGrants: Readonly<Record<string, Grants>> = {
  public: { api: 'USAGE', worker: 'USAGE' },
  drizzle: { api: 'USAGE', worker: 'USAGE' },
};
