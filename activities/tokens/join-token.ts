import type { TokenKeys } from '../../domain/tokens/token-keys.ts';
import type { PlatformSigner } from '../keys/directory/load-keys.ts';
import { mintScoped, readScoped, type ScopedClaims, type ScopedKind } from './scoped-token.ts';

/** How long somebody may be on their way into a meeting, and in it. */
export const joinTokenLifeMs = 24 * 3600_000;

export const joinTokenTyp = 'join+jwt';

const kind: ScopedKind = {
  typ: joinTokenTyp,
  path: '/v2/join/session',
  lifeMs: joinTokenLifeMs,
};

/**
 * Mints the token of a join session.
 * @param nonce the asking client's own, by which it knows the token for the one it asked for
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

/** The claims of a good join token, or null; `sub` is its join session. */
export function readJoinToken(
  keys: TokenKeys,
  issuer: string,
  token: string,
  now: Date,
): Promise<ScopedClaims | null> {
  return readScoped(keys, issuer, kind, token, now);
}
