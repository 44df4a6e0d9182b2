import type { PlatformSigner } from '../certificates/load-keys.ts';
import { decodeJws, isCurrent, isSignedBy, signJws } from './jws.ts';

const typ = 'check+jwt';

/** As long as the longest session lives: 72 hours unopened, then 24 hours. */
export const checkTokenLifeMs = (72 + 24) * 3600_000;

export interface CheckTokenClaims {
  /** The trust-check session this token runs, and nothing else. */
  readonly sub: string;
  readonly iat: number;
  readonly exp: number;
}

/** Mints the token with which a browser or app runs one trust check. */
export async function mintCheckToken(
  tokens: PlatformSigner,
  issuer: string,
  linkSessionId: string,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const iat = Math.floor(now.getTime() / 1000);
  const exp = iat + checkTokenLifeMs / 1000;
  const claims = { iss: issuer, aud: `${issuer}/v2/trust-checks`, sub: linkSessionId, iat, exp };
  return { token: await signJws(tokens, { typ }, claims), expiresAt: new Date(exp * 1000) };
}

/** The claims of a good check token, or null. */
export function readCheckToken(
  tokens: PlatformSigner,
  issuer: string,
  token: string,
  now: Date,
): CheckTokenClaims | null {
  const jws = decodeJws(token, typ);
  if (!jws || jws.header.kid !== tokens.kid || !isSignedBy(jws, tokens.publicKey)) return null;
  const { iss, aud, sub, iat, exp } = jws.claims;
  if (iss !== issuer || aud !== `${issuer}/v2/trust-checks`) return null;
  if (!isCurrent(jws.claims, now, 0) || typeof sub !== 'string') return null;
  return { sub, iat: Number(iat), exp: Number(exp) };
}
