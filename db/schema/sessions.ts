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
    /** Login email used to sign in. Its revocation ends the session. */
    identity_id: integer('identity_id').references(() => loginEmails.identity_id),
    /** Device whose key opened the session. Its revocation ends the session. */
    device_id: text('device_id').references(() => devices.device_id),
    /** The user's name for the device of the session. */
    device_label_sealed: bytea('device_label_sealed'),
    /**
     * Account in which it was opened or last continued. The membership determines its rights there.
     */
    account_id: integer('account_id'),
    /**
     * The only account in which it may continue: that of the app or the sign-in provider used to
     * sign in.
     */
    confined_to: integer('confined_to'),
    created_at: instant('created_at').notNull(),
    expires_at: instant('expires_at').notNull(),
    revoked_at: instant('revoked_at'),
  },
  (table) => [
    // Live sessions of a person. Ended ones stay for ninety days.
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

/** Token identifiers that were used (RFC 7519 §4.1.7). Kept until the token expires. */
export const spentTokens = pgTable(
  'spent_tokens',
  {
    jti: text('jti').primaryKey(),
    expires_at: instant('expires_at').notNull(),
  },
  (table) => [index('spent_tokens_expiry').on(table.expires_at)],
);

/**
 * JWTs behind a one-time token. A row is stored under the hash of the token. The JWT is sealed with
 * a key derived from the token, so a reader of the table cannot open it.
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

/** One-time challenges. Only the hash is stored; use deletes the row. */
export const challenges = pgTable(
  'challenges',
  {
    hash: bytea('hash').primaryKey(),
    purpose: text('purpose').notNull(),
    expires_at: instant('expires_at').notNull(),
  },
  (table) => [index('challenges_expiry').on(table.expires_at)],
);

/** Table of the rate limiter library, with its own column names. */
export const rateLimits = pgTable('rate_limits', {
  key: text('key').primaryKey(),
  points: integer('points').notNull().default(0),
  expire: bigint('expire', { mode: 'number' }),
});

export const idempotencyState = pgEnum('idempotency_state', ['running', 'done']);

export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /** SHA-256 over caller scope, operation and idempotency key. */
    id: bytea('id').primaryKey(),
    fingerprint: bytea('fingerprint').notNull(),
    state: idempotencyState('state').notNull(),
    /**
     * Stable id that a retried request uses again, for example as the id of the workflow it starts.
     */
    seed: text('seed').notNull(),
    response_sealed: bytea('response_sealed'),
    /** The trust check that the response is about. Its redaction removes the response. */
    link_session_id: text('link_session_id'),
    is_redacted: boolean('is_redacted').notNull().default(false),
    locked_until: instant('locked_until').notNull(),
    /** The run that owns the lock. */
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
