import { signJws, verifyToken } from '../../domain/tokens/jws.ts';
import type { TokenKeys } from '../../domain/tokens/token-keys.ts';
import type { PlatformSigner } from '../keys/directory/load-keys.ts';

const typ = 'verified-claims+jwt';
/** What an affidavit bears says the same and opens nothing: no bundle may carry it. */
const affidavitTyp = 'affidavit-claims+jwt';

/** A day: what it says can be revoked later, and it is read where the platform cannot be asked. */
export const claimsTokenLifeMs = 24 * 3600_000;

/** What the platform proved of a person (OpenID Identity Assurance Schema Definition 1.0, §5). */
export interface VerifiedClaims {
  readonly verification: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface ClaimsTokenRequest {
  readonly polyUserId: string;
  readonly jti: string;
  readonly verifiedClaims: readonly VerifiedClaims[];
  /**
   * Thumbprint of the signing key of the phone that took the check (RFC 7800 §3.1, RFC 9449 §6.1).
   */
  readonly keyThumbprint: string;
  /** The attestation of that phone, where the check asked for it. */
  readonly deviceAttestation: Readonly<Record<string, unknown>> | null;
}

/** A good claims token: whose it is, and whose key alone may present it. */
export interface ReadClaimsToken {
  readonly polyUserId: string;
  readonly keyThumbprint: string;
  readonly verifiedClaims: readonly unknown[];
}

/** Mints the platform's word on a passed check, to be carried in its subject's bundles. */
export async function mintClaimsToken(
  tokens: PlatformSigner,
  issuer: string,
  request: ClaimsTokenRequest,
  now: Date,
): Promise<string> {
  const exp = secondsOf(now) + claimsTokenLifeMs / 1000;
  return signJws(tokens, typ, { ...claimsOf(issuer, request, now), exp });
}

/**
 * Mints the same for an affidavit, whose number is its `jti`: without an end, since it tells what
 * was found at `iat`.
 */
export async function mintAffidavitClaims(
  tokens: PlatformSigner,
  issuer: string,
  request: ClaimsTokenRequest,
  now: Date,
): Promise<string> {
  return signJws(tokens, affidavitTyp, claimsOf(issuer, request, now));
}

const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1000);

const claimsOf = (issuer: string, request: ClaimsTokenRequest, now: Date) => ({
  iss: issuer,
  sub: request.polyUserId,
  iat: secondsOf(now),
  jti: request.jti,
  cnf: { jkt: request.keyThumbprint },
  ...(request.deviceAttestation ? { device_attestation: request.deviceAttestation } : {}),
  verified_claims: request.verifiedClaims,
});

/** What a good claims token says, or null: one answer for every fault. */
export async function readClaimsToken(
  keys: TokenKeys,
  issuer: string,
  token: string,
  now: Date,
): Promise<ReadClaimsToken | null> {
  const claims = await verifyToken(keys, { typ, issuer }, token, now);
  const { sub, cnf, verified_claims: verifiedClaims } = claims ?? {};
  const keyThumbprint = thumbprintIn(cnf);
  if (typeof sub !== 'string' || keyThumbprint === null) return null;
  if (!Array.isArray(verifiedClaims)) return null;
  return { polyUserId: sub, keyThumbprint, verifiedClaims };
}

/** The key of a `cnf` claim by its thumbprint (RFC 9449 §6.1); null for any other form of it. */
export function thumbprintIn(cnf: unknown): string | null {
  if (typeof cnf !== 'object' || cnf === null || !('jkt' in cnf)) return null;
  return typeof cnf.jkt === 'string' ? cnf.jkt : null;
}
