import { checkTokenLifeMs } from '../../domain/tokens/check-token-life.ts';
import type { TokenKeys } from '../../domain/tokens/token-keys.ts';
import type { PlatformSigner } from '../keys/directory/load-keys.ts';
import { mintScoped, readScoped, type ScopedClaims, type ScopedKind } from './scoped-token.ts';

export const checkTokenTyp = 'check+jwt';

const kind: ScopedKind = {
  typ: checkTokenTyp,
  path: '/v2/trust-checks',
  lifeMs: checkTokenLifeMs,
};

/** Mints the token with which a browser or app runs one trust check. */
export function mintCheckToken(
  tokens: PlatformSigner,
  issuer: string,
  linkSessionId: string,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  return mintScoped(tokens, issuer, kind, { sub: linkSessionId }, now);
}

/** The claims of a good check token, or null; `sub` is the session it runs, and nothing else. */
export function readCheckToken(
  keys: TokenKeys,
  issuer: string,
  token: string,
  now: Date,
): Promise<ScopedClaims | null> {
  return readScoped(keys, issuer, kind, token, now);
}
