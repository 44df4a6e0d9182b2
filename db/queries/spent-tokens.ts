import { statement, type Queryable } from '../client.ts';

/**
 * Consumes `:jti` and deletes some rows that expired before `:spentAt`. `spent` has a row for
 * exactly one of all callers.
 */
export const spendingSql = `WITH swept AS (
     DELETE FROM spent_tokens WHERE jti IN (
       SELECT jti FROM spent_tokens WHERE expires_at < :spentAt AND jti <> :jti
       ORDER BY expires_at LIMIT 20 FOR UPDATE SKIP LOCKED)
   ), spent AS (
     INSERT INTO spent_tokens (jti, expires_at) VALUES (:jti, :keptUntil)
     ON CONFLICT (jti) DO NOTHING RETURNING jti
   )`;

const spend = statement<{ jti: string }>(
  'spent_tokens.spend',
  spendingSql + ' SELECT jti FROM spent',
);

/** Identifier of a consumed token, and until when it is kept. */
export interface Spending {
  readonly jti: string;
  readonly keptUntil: Date;
}

/**
 * Consumes a token's identifier. Returns true for exactly one of all callers (RFC 7519 §4.1.7). The
 * row is kept until the token expires; a later call then deletes it.
 */
export async function spendToken(
  on: Queryable,
  jti: string,
  expiresAt: Date,
  now: Date,
): Promise<boolean> {
  return (await spend(on, { jti, keptUntil: expiresAt, spentAt: now })).length === 1;
}
