import { signJws, verifyToken } from '../../domain/tokens/jws.ts';
import type { TokenKeys } from '../../domain/tokens/token-keys.ts';
import type { PlatformSigner } from '../keys/directory/load-keys.ts';

const typ = 'verified-claims+jwt';
/**
 * Type of the same claims in an affidavit. They authorize nothing, and no bundle may carry them.
 */
const affidavitTyp = 'affidavit-claims+jwt';

/**
 * One day: the claims can be revoked later, and verifiers read them without asking the platform.
 */
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
  /** Thumbprint of the signing key of the check's phone (RFC 7800 §3.1, RFC 9449 §6.1). */
  readonly keyThumbprint: string;
  /** Attestation of that phone, if the check required it. */
  readonly deviceAttestation: Readonly<Record<string, unknown>> | null;
}

/** A valid claims token: its subject, and the only key that may present it. */
export interface ReadClaimsToken {
  readonly polyUserId: string;
  readonly keyThumbprint: string;
  readonly verifiedClaims: readonly unknown[];
}

/** Mints the claims of a passed check, which its subject's bundles carry. */
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
 * Mints the same claims for an affidavit, with its id as `jti`. They do not expire, since they
 * state what was found at `iat`.
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

/** Returns the contents of a valid claims token, or null for any fault. */
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

/** Returns the key thumbprint in a `cnf` claim (RFC 9449 §6.1), or null for another form. */
export function thumbprintIn(cnf: unknown): string | null {
  if (typeof cnf !== 'object' || cnf === null || !('jkt' in cnf)) return null;
  return typeof cnf.jkt === 'string' ? cnf.jkt : null;
}
