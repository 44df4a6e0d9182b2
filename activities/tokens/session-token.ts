import { type Role, roles as roleNames } from '../../domain/names.ts';
import { signJws, verifyToken } from '../../domain/tokens/jws.ts';
import type { TokenKeys } from '../../domain/tokens/token-keys.ts';
import type { PlatformSigner } from '../keys/directory/load-keys.ts';

const typ = 'session+jwt';

/** Life of a session by its assurance, in milliseconds. */
export type SessionLives = Readonly<Record<'cert' | 'email', number>>;

/** Default lives. */
export const sessionLifeMs: SessionLives = { cert: 3600_000, email: 12 * 3600_000 };

/** Authentication methods (RFC 8176). A provider's statement is federated, whatever it names. */
const methods = { cert: ['hwk', 'pop'], email: ['otp'], provider: ['fed'] } as const;

export interface SessionClaims {
  readonly sub: string;
  readonly sid: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  readonly auth_time: number;
  readonly auth_method: 'email' | 'cert';
  readonly account_id: number | null;
  readonly roles: readonly Role[];
  /** Sign-in provider of the session, even if a bundle has raised it since. */
  readonly idp?: string;
  /** The only account in which it can continue: that of the app or account it was opened for. */
  readonly confined_to?: number;
}

/** Mints a session token: a JWT of type `session+jwt`, ES256, with the API itself as audience. */
export async function mintSessionToken(
  tokens: PlatformSigner,
  issuer: string,
  claims: SessionClaims,
): Promise<string> {
  const assurance = `urn:trustcheck:assurance:${claims.auth_method}`;
  const isLent = claims.idp !== undefined && claims.auth_method === 'email';
  const amr = methods[isLent ? 'provider' : claims.auth_method];
  return signJws(tokens, typ, { iss: issuer, aud: issuer, acr: assurance, amr, ...claims });
}

/** Returns the claims of a valid session token, or null for any fault. */
export async function readSessionToken(
  keys: TokenKeys,
  issuer: string,
  token: string,
  now: Date,
): Promise<SessionClaims | null> {
  const claims = await verifyToken(keys, { typ, issuer, audience: issuer }, token, now);
  return claims && hasShape(claims) ? claims : null;
}

function hasShape(
  claims: Readonly<Record<string, unknown>>,
): claims is Record<string, unknown> & SessionClaims {
  const { sub, sid, jti, auth_time, auth_method, account_id, roles, idp, confined_to } = claims;
  return (
    (idp === undefined || typeof idp === 'string') &&
    (confined_to === undefined || Number.isSafeInteger(confined_to)) &&
    typeof sub === 'string' &&
    typeof sid === 'string' &&
    typeof jti === 'string' &&
    typeof auth_time === 'number' &&
    (auth_method === 'email' || auth_method === 'cert') &&
    (account_id === null || Number.isSafeInteger(account_id)) &&
    Array.isArray(roles) &&
    roles.every((role) => (roleNames as readonly unknown[]).includes(role))
  );
}
