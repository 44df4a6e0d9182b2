import { firstOf, statement, type Queryable } from '../client.ts';

const insert = statement(
  'invite_tokens.insert',
  `WITH swept AS (
     DELETE FROM invite_tokens WHERE hash IN (
       SELECT hash FROM invite_tokens WHERE expires_at < $4
       ORDER BY expires_at LIMIT 20 FOR UPDATE SKIP LOCKED)
   )
   INSERT INTO invite_tokens (hash, jwt_sealed, expires_at) VALUES ($1, $2, $3)`,
);
const take = statement<{ jwt_sealed: Buffer }>(
  'invite_tokens.take',
  'DELETE FROM invite_tokens WHERE hash = $1 AND expires_at > $2 RETURNING jwt_sealed',
);

/** Keeps what a one-time token stands for, and sweeps out a few that nobody exchanged in time. */
export async function addInviteToken(
  on: Queryable,
  row: { hash: Buffer; jwtSealed: Buffer; expiresAt: Date },
  now: Date,
): Promise<void> {
  await insert(on, [row.hash, row.jwtSealed, row.expiresAt, now]);
}

/** Takes what a token stands for: exactly one of all callers gets it, and only while it lives. */
export async function takeInviteToken(
  on: Queryable,
  hash: Buffer,
  now: Date,
): Promise<Buffer | null> {
  return firstOf(await take(on, [hash, now]))?.jwt_sealed ?? null;
}
