import { firstOf, statement, type Queryable } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { and, gt } from '../schema/drizzle.ts';
import { inviteTokens } from '../schema/sessions.ts';

const { expires_at, hash, jwt_sealed } = inviteTokens;

const oldTokens = (now: string, lengthMax: string): string =>
  `DELETE FROM invite_tokens WHERE hash IN (
       SELECT hash FROM invite_tokens WHERE expires_at <= ${now}
       ORDER BY expires_at LIMIT ${lengthMax} FOR UPDATE SKIP LOCKED)`;

const insert = statement(
  'invite_tokens.insert',
  `WITH swept AS (
     ${oldTokens(':now', '20')}
   )
   INSERT INTO invite_tokens (hash, jwt_sealed, expires_at) VALUES (:hash, :jwtSealed, :expiresAt)`,
);
const removeOld = statement(
  'invite_tokens.remove_old',
  `${oldTokens(':now', ':lengthMax')} RETURNING hash`,
);
const take = prepare('invite_tokens.take', { hash, expires_at }, ({ by, equals }) =>
  build
    .delete(inviteTokens)
    .where(and(equals.hash, gt(expires_at, by.expires_at)))
    .returning({ jwt_sealed }),
);

/** Stores the JWT of a one-time token, and deletes a few expired ones. */
export async function addInviteToken(
  on: Queryable,
  row: { hash: Buffer; jwtSealed: Buffer; expiresAt: Date },
  now: Date,
): Promise<void> {
  await insert(on, { hash: row.hash, jwtSealed: row.jwtSealed, expiresAt: row.expiresAt, now });
}

/** Deletes at most `lengthMax` expired tokens. Returns how many. */
export async function removeOldInvites(
  on: Queryable,
  now: Date,
  lengthMax: number,
): Promise<number> {
  return (await removeOld(on, { now, lengthMax })).length;
}

/**
 * Consumes a one-time token and returns its JWT. Only one of all callers gets it, and only before
 * it expires.
 */
export async function takeInviteToken(
  on: Queryable,
  hash: Buffer,
  now: Date,
): Promise<Buffer | null> {
  return firstOf(await take(on, { hash, expires_at: now }))?.jwt_sealed ?? null;
}
