import { loginEmails, polyUsers } from './accounts.ts';
import { bytea, instant } from './columns.ts';
import { devices } from './devices.ts';
import { bigint, boolean, index, integer, pgEnum, pgTable, sql, text } from './drizzle.ts';

export const authMethod = pgEnum('auth_method', ['email', 'cert']);

export const sessions = pgTable(
  'sessions',
  {
    sid: text('sid').primaryKey(),
    poly_user_id: text('poly_user_id')
      .notNull()
      .references(() => polyUsers.poly_user_id),
    auth_method: authMethod('auth_method').notNull(),
    /** The login email it came by, with whose revocation it ends. */
    identity_id: integer('identity_id').references(() => loginEmails.identity_id),
    /** The device whose key opened it, with whose revocation it ends. */
    device_id: text('device_id').references(() => devices.device_id),
    /** What its holder calls the device it runs on. */
    device_label_sealed: bytea('device_label_sealed'),
    /** Where it was opened, or last gone on with; what it may do there its membership says. */
    account_id: integer('account_id'),
    /** The only account it goes on in: of an app, or of the sign-in provider it came by. */
    confined_to: integer('confined_to'),
    created_at: instant('created_at').notNull(),
    expires_at: instant('expires_at').notNull(),
    revoked_at: instant('revoked_at'),
  },
  (table) => [
    // The living of a person: those that ended stay for ninety days.
    index('sessions_user')
      .on(table.poly_user_id, table.expires_at)
      .where(sql`revoked_at IS NULL`),
    index('sessions_identity')
      .on(table.identity_id, table.created_at)
      .where(sql`identity_id IS NOT NULL`),
    index('sessions_device')
      .on(table.device_id)
      .where(sql`device_id IS NOT NULL`),
    index('sessions_expiry').on(table.expires_at),
  ],
);

/** Token identifiers that were spent (RFC 7519 §4.1.7), kept until the token itself has expired. */
export const spentTokens = pgTable(
  'spent_tokens',
  {
    jti: text('jti').primaryKey(),
    expires_at: instant('expires_at').notNull(),
  },
  (table) => [index('spent_tokens_expiry').on(table.expires_at)],
);

/**
 * JWTs kept behind a one-time token: under the token's hash, sealed with a key that only the token
 * gives, so that nobody who reads the table can open one.
 */
export const inviteTokens = pgTable(
  'invite_tokens',
  {
    hash: bytea('hash').primaryKey(),
    jwt_sealed: bytea('jwt_sealed').notNull(),
    expires_at: instant('expires_at').notNull(),
  },
  (table) => [index('invite_tokens_expiry').on(table.expires_at)],
);

/** One-time challenges: only the hash is kept, and taking one deletes it. */
export const challenges = pgTable(
  'challenges',
  {
    hash: bytea('hash').primaryKey(),
    purpose: text('purpose').notNull(),
    expires_at: instant('expires_at').notNull(),
  },
  (table) => [index('challenges_expiry').on(table.expires_at)],
);

/** The table of the rate limiter (its own column names). */
export const rateLimits = pgTable('rate_limits', {
  key: text('key').primaryKey(),
  points: integer('points').notNull().default(0),
  expire: bigint('expire', { mode: 'number' }),
});

export const idempotencyState = pgEnum('idempotency_state', ['running', 'done']);

export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /** SHA-256 over caller scope, operation and the caller's key. */
    id: bytea('id').primaryKey(),
    fingerprint: bytea('fingerprint').notNull(),
    state: idempotencyState('state').notNull(),
    /** Stable id a retried request reuses, for instance as the id of the workflow it starts. */
    seed: text('seed').notNull(),
    response_sealed: bytea('response_sealed'),
    /** The trust-check session that was answered about, with whose redaction the answer goes. */
    link_session_id: text('link_session_id'),
    is_redacted: boolean('is_redacted').notNull().default(false),
    locked_until: instant('locked_until').notNull(),
    /** The run whose lock it is. */
    run: text('run').notNull(),
    expires_at: instant('expires_at').notNull(),
  },
  (table) => [
    index('idempotency_keys_expiry').on(table.expires_at),
    index('idempotency_keys_session')
      .on(table.link_session_id)
      .where(sql`link_session_id IS NOT NULL`),
  ],
);
