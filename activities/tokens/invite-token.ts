import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Queryable } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import { addInviteToken, takeInviteToken } from '../../db/queries/invite-tokens.ts';
import { openWith, sealWith } from '../../db/sealing/cipher.ts';
import { hashOfToken } from '../../domain/tokens/email-token.ts';

/** Milliseconds that a JWT is kept for its token. */
export const inviteLifeMs = 5 * 60_000;

const tokenBytes = 32;
const context = 'invite_tokens|jwt';

/**
 * Stores a JWT behind a one-time token: 256 random bits, base64url. The table has the token's hash,
 * and the JWT sealed with a key that is derived from the token (RFC 5869). Without the token the
 * table reveals no JWT.
 */
export async function keepInvite(
  deps: { readonly db: Queryable; readonly ids: Ids },
  rawJwt: string,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const token = deps.ids.bytes(tokenBytes).toString('base64url');
  const expiresAt = new Date(now.getTime() + inviteLifeMs);
  const row = {
    hash: hashOfToken(token),
    jwtSealed: sealWith(keyOf(token), context, rawJwt),
    expiresAt,
  };
  await addInviteToken(deps.db, row, now);
  return { token, expiresAt };
}

/** Exchanges a token for its JWT, once. Returns null if it is unknown, used or expired. */
export async function exchangeInvite(
  db: Queryable,
  token: string,
  now: Date,
): Promise<string | null> {
  const sealed = await takeInviteToken(db, hashOfToken(token), now);
  return sealed && openWith(keyOf(token), context, sealed).toString();
}

function keyOf(token: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', token, '', context, 32)));
}
