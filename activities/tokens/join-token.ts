import type { TokenKeys } from '../../domain/tokens/token-keys.ts';
import type { PlatformSigner } from '../keys/directory/load-keys.ts';
import { mintScoped, readScoped, type ScopedClaims, type ScopedKind } from './scoped-token.ts';

/** Milliseconds to enter a meeting and stay in it. */
export const joinTokenLifeMs = 24 * 3600_000;

export const joinTokenTyp = 'join+jwt';

const kind: ScopedKind = {
  typ: joinTokenTyp,
  path: '/v2/join/session',
  lifeMs: joinTokenLifeMs,
};

/**
 * Mints the token of a join session.
 * @param nonce chosen by the client, which recognizes its token by it
 */
export async function mintJoinToken(
  tokens: PlatformSigner,
  issuer: string,
  session: { readonly join_session_id: string; readonly created_at: Date },
  nonce?: string,
): Promise<string> {
  const claims = { sub: session.join_session_id, ...(nonce === undefined ? {} : { nonce }) };
  const { token } = await mintScoped(tokens, issuer, kind, claims, session.created_at);
  return token;
}

/** Returns the claims of a valid join token, or null. `sub` is its join session. */
export function readJoinToken(
  keys: TokenKeys,
  issuer: string,
  token: string,
  now: Date,
): Promise<ScopedClaims | null> {
  return readScoped(keys, issuer, kind, token, now);
}
