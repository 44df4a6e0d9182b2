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

/** The session of a check token, and the key that the token is bound to. */
export interface CheckTokenOf {
  readonly linkSessionId: string;
  /** RFC 7638 thumbprint of the key of the browser or app. */
  readonly jkt: string;
}

/** Mints the token with which a browser or app runs one trust check. */
export function mintCheckToken(
  tokens: PlatformSigner,
  issuer: string,
  { linkSessionId, jkt }: CheckTokenOf,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  // RFC 7800 §3.1, RFC 9449 §6.1
  return mintScoped(tokens, issuer, kind, { sub: linkSessionId, cnf: { jkt } }, now);
}

/** Returns the claims of a valid check token, or null. `sub` is the only session that it runs. */
export async function readCheckToken(
  keys: TokenKeys,
  issuer: string,
  token: string,
  now: Date,
): Promise<(ScopedClaims & Pick<CheckTokenOf, 'jkt'>) | null> {
  const claims = await readScoped(keys, issuer, kind, token, now);
  if (!claims) return null;
  const jkt: unknown = Object(claims.cnf).jkt;
  return typeof jkt === 'string' ? { ...claims, jkt } : null;
}
