import { createHash } from 'node:crypto';
import type { Signer } from '../pki/signer.ts';
import { signJws } from './jws.ts';

/** The type of a verification bundle (RFC 8725 §3.11). */
export const bundleTyp = 'vbundle+jwt';

/** A bundle proves possession now: none lives longer, whatever it says of itself. */
export const bundleLifeMsMax = 10 * 60_000;

/** The assurance a bundle carries: a certified key in the hands of its user. */
export const certAssurance = 'urn:trustcheck:assurance:cert';

const defaultLifeMs = 5 * 60_000;

export interface BundleRequest {
  /** The platform's base URL, without a slash at its end. */
  readonly baseUrl: string;
  readonly polyUserId: string;
  /** `{base_url}`, `{base_url}/apps/{app_id}` or `{base_url}/accounts/{account_id}`. */
  readonly audience: string;
  /** 16 to 128 characters of base64url that were never used before. */
  readonly jti: string;
  readonly now: Date;
  readonly lifeMs?: number;
  /** The app that has it made (`azp`). */
  readonly appId?: string | undefined;
  /** A live challenge of the platform. */
  readonly nonce?: string | undefined;
  /** What a passed check gave (`verified_claims_token`), carried as an aggregated claim. */
  readonly verifiedClaims?: string | undefined;
}

/** The issuer of a user's bundles: with `/.well-known/jwks.json` behind it, the user's key set. */
export function bundleIssuer(baseUrl: string, polyUserId: string): string {
  return `${baseUrl}/users/${polyUserId}`;
}

/**
 * Mints a verification bundle: an ID-token-like JWT (OpenID Connect Core §2) by the device's
 * certified key, with the platform's `verified_claims` as an aggregated claim (§5.6.2).
 * @param signer the device's signing key with its certificate chain
 */
export async function mintBundle(signer: Signer, request: BundleRequest): Promise<string> {
  const { baseUrl, polyUserId, audience, jti, appId, nonce, verifiedClaims } = request;
  const iat = Math.floor(request.now.getTime() / 1000);
  const [leaf] = signer.certificateChain;
  const header = {
    typ: bundleTyp,
    x5c: signer.certificateChain.map((der) => Buffer.from(der).toString('base64')),
    ...(leaf ? { 'x5t#S256': createHash('sha256').update(leaf).digest('base64url') } : {}),
  };
  return signJws(signer, header, {
    iss: bundleIssuer(baseUrl, polyUserId),
    sub: polyUserId,
    aud: audience,
    iat,
    nbf: iat,
    exp: iat + Math.floor((request.lifeMs ?? defaultLifeMs) / 1000),
    jti,
    auth_time: iat,
    acr: certAssurance,
    amr: ['hwk', 'pop'],
    cnf: { jkt: signer.kid },
    ...(appId === undefined ? {} : { azp: appId }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(verifiedClaims === undefined ? {} : aggregated(verifiedClaims)),
  });
}

function aggregated(token: string) {
  return { _claim_names: { verified_claims: 'p' }, _claim_sources: { p: { JWT: token } } };
}
