/**
 * Which rows of a table the API can read and write. The test `row-policies` fails for a table
 * without an entry, for a table with `account_id` and no policy, and if the database has another
 * policy. The owner and the workers have access to every row.
 * See docs/decisions/008-database-rights.md.
 */
export interface RowPolicy {
  /** Condition of the policy `account`. Null: the table has no policy. */
  readonly using: ((table: string) => string) | null;
  /** Why the table has no policy. */
  readonly reason?: string;
}

const account: RowPolicy = { using: () => 'account_in_scope(account_id)' };

/** Rows without an account are shared by all accounts. */
const accountOrNone: RowPolicy = {
  using: () => 'account_id IS NULL OR account_in_scope(account_id)',
};

/** Allows a row if the policy of its parent table allows the parent row. */
const through = (parent: string, column: string): RowPolicy => ({
  using: (table) => `EXISTS (SELECT FROM ${parent} p WHERE p.${column} = ${table}.${column})`,
});

const none = (reason: string): RowPolicy => ({ using: null, reason });

export const rowPolicies: Readonly<Record<string, RowPolicy>> = {
  accounts: account,
  affidavits: account,
  api_keys: account,
  app_logos: account,
  apps: account,
  audit_heads: account,
  audit_rows: account,
  calendar_answers: accountOrNone,
  calendar_connections: accountOrNone,
  calendar_flows: accountOrNone,
  certificates: none('certificates of persons, devices and the platform: public by nature'),
  challenges: none('challenges are named by the digest of an unguessable nonce'),
  crls: none('revocation lists are public'),
  data_keys: none('keys are wrapped; they belong to rows of every kind'),
  devices: none('a device belongs to a person, who uses it in every account'),
  email_requests: none('a sign-in begins before its account is known'),
  events: account,
  evidence: through('trust_checks', 'link_session_id'),
  evidence_images: through('trust_checks', 'link_session_id'),
  evidence_uploads: none('holds names of objects, written before the row of the object'),
  face_marks: through('trust_checks', 'link_session_id'),
  idempotency_keys: none('named by a digest of caller and account'),
  invite_tokens: none('named by the digest of a token; belongs to a sign-in, not to an account'),
  invited_addresses: account,
  invited_people: account,
  join_sessions: account,
  links: account,
  log_entries: account,
  log_totals: account,
  login_emails: none('a login email belongs to a person'),
  mail_reports: through('links', 'link_uuid'),
  meeting_participants: account,
  meeting_reports: account,
  meetings: account,
  member_mails: account,
  memberships: account,
  opened_imports: through('links', 'link_uuid'),
  outbox_messages: none('mails of the development profile, named by their recipient'),
  phone_codes: through('trust_checks', 'link_session_id'),
  photos: through('trust_checks', 'link_session_id'),
  platform_accounts: account,
  platform_flows: account,
  poly_users: none('a person belongs to no account'),
  prescreen_days: account,
  prescreen_rollups: account,
  proof_challenges: through('trust_checks', 'link_session_id'),
  proof_submissions: through('trust_checks', 'link_session_id'),
  rate_limits: none('counters, named by operation and caller'),
  recoveries: account,
  reviews: through('trust_checks', 'link_session_id'),
  sessions: none('a session belongs to a person, who has one for several accounts'),
  sms_routes: none('counts messages per network, over all accounts'),
  sms_stops: none('counts messages per network, over all accounts'),
  spent_tokens: none('digests of single-use tokens'),
  sso_providers: account,
  sso_subjects: account,
  streams: none('holds the last number of each stream, no content'),
  stolen_secrets: none('versions of the master secret that were stolen: belong to the platform'),
  tickets: account,
  timestamps: none('timestamps of the platform over digests'),
  transparency_checkpoints: none('the transparency log is public'),
  transparency_cosignatures: none('the transparency log is public'),
  transparency_entries: none('the transparency log is public'),
  transparency_nodes: none('the transparency log is public'),
  trust_checks: account,
  webhook_attempts: through('webhook_deliveries', 'delivery_id'),
  webhook_deliveries: through('webhook_endpoints', 'endpoint_id'),
  webhook_endpoints: account,
  webhook_inbox: none('a report of a vendor arrives before its account is known'),
};

/**
 * Views with the same condition, for searches with conditions that are not leakproof. Behind a row
 * policy such conditions cannot use an index.
 */
export const scopedViews: Readonly<Record<string, string>> = {
  listed_links: 'links',
  listed_trust_checks: 'trust_checks',
  named_meetings: 'meetings',
};
