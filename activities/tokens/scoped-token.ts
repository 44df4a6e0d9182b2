import { signJws, verifyToken } from '../../domain/tokens/jws.ts';
import type { TokenKeys } from '../../domain/tokens/token-keys.ts';
import type { PlatformSigner } from '../keys/directory/load-keys.ts';

/** A kind of token that is valid for one purpose only. */
export interface ScopedKind {
  readonly typ: string;
  /** Path of the API that it is valid for, below the issuer. */
  readonly path: string;
  readonly lifeMs: number;
}

export interface ScopedClaims {
  /** Id of the object that it gives access to. */
  readonly sub: string;
  readonly iat: number;
  readonly exp: number;
  /** The key that the token is bound to (RFC 7800). */
  readonly cnf?: unknown;
}

/**
 * Mints a token of a kind for the object `sub`.
 * @param from when its life begins
 */
export async function mintScoped(
  tokens: PlatformSigner,
  issuer: string,
  { typ, path, lifeMs }: ScopedKind,
  { sub, ...more }: { readonly sub: string } & Readonly<Record<string, unknown>>,
  from: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const iat = Math.floor(from.getTime() / 1000);
  const exp = iat + lifeMs / 1000;
  const claims = { iss: issuer, aud: `${issuer}${path}`, sub, iat, exp, ...more };
  return { token: await signJws(tokens, typ, claims), expiresAt: new Date(exp * 1000) };
}

/** Returns the claims of a valid token of that kind, or null. */
export async function readScoped(
  keys: TokenKeys,
  issuer: string,
  { typ, path }: ScopedKind,
  token: string,
  now: Date,
): Promise<ScopedClaims | null> {
  const claims = await verifyToken(keys, { typ, issuer, audience: `${issuer}${path}` }, token, now);
  const { sub, iat, exp, cnf } = claims ?? {};
  return typeof sub === 'string' ? { sub, iat: Number(iat), exp: Number(exp), cnf } : null;
}
