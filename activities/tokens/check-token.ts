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

/** A check token's session, and the browser key that it is bound to; null for a phone. */
export interface CheckTokenOf {
  readonly linkSessionId: string;
  /** RFC 7638 thumbprint. */
  readonly jkt: string | null;
}

/** Mints the token with which a browser or app runs one trust check. */
export function mintCheckToken(
  tokens: PlatformSigner,
  issuer: string,
  { linkSessionId, jkt }: CheckTokenOf,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  // RFC 7800 §3.1, RFC 9449 §6.1
  const bound = jkt === null ? {} : { cnf: { jkt } };
  return mintScoped(tokens, issuer, kind, { sub: linkSessionId, ...bound }, now);
}

/** The claims of a good check token, or null; `sub` is the session it runs, and nothing else. */
export async function readCheckToken(
  keys: TokenKeys,
  issuer: string,
  token: string,
  now: Date,
): Promise<(ScopedClaims & Pick<CheckTokenOf, 'jkt'>) | null> {
  const claims = await readScoped(keys, issuer, kind, token, now);
  if (!claims) return null;
  const jkt: unknown = Object(claims.cnf).jkt;
  return { ...claims, jkt: typeof jkt === 'string' ? jkt : null };
}
