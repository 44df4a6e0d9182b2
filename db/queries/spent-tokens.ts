import { statement, type Queryable } from '../client.ts';

const spend = statement<{ jti: string }>(
  'spent_tokens.spend',
  `WITH swept AS (
     DELETE FROM spent_tokens WHERE jti IN (
       SELECT jti FROM spent_tokens WHERE expires_at < $3 AND jti <> $1
       ORDER BY expires_at LIMIT 20 FOR UPDATE SKIP LOCKED)
   )
   INSERT INTO spent_tokens (jti, expires_at) VALUES ($1, $2)
   ON CONFLICT (jti) DO NOTHING RETURNING jti`,
);

/**
 * Spends a token's identifier: true for exactly one of all callers (RFC 7519 §4.1.7). It is kept
 * until the token itself has ended, then a later spender sweeps it out on the way.
 */
export async function spendToken(
  on: Queryable,
  jti: string,
  expiresAt: Date,
  now: Date,
): Promise<boolean> {
  return (await spend(on, [jti, expiresAt, now])).length === 1;
}
