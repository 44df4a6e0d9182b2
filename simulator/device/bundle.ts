import { createHash, createPublicKey, randomBytes, X509Certificate } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import { publicJwkOf, thumbprintOf } from '../../domain/pki/x509/thumbprint.ts';
import { bundleIssuer, bundleTyp, certAssurance } from '../../domain/tokens/bundle.ts';
import type { Device } from './device.ts';

export interface PhoneBundle {
  /** Base URL of the platform, without a trailing slash. */
  readonly baseUrl: string;
  readonly now: Date;
  /**
   * `{base_url}`, `{base_url}/apps/{app_id}` or `{base_url}/accounts/{account_id}`. Default: the
   * first.
   */
  readonly audience?: string | undefined;
  /** The app that requests the bundle (`azp`). */
  readonly appId?: string | undefined;
  /** An unused challenge of the platform. */
  readonly nonce?: string | undefined;
  /** The `verified_claims_token` of a passed check. */
  readonly verifiedClaims?: string | undefined;
}

const lifeSeconds = 300;

/**
 * Signs a verification bundle with the certified key of an enrolled phone. It is a JWT like an ID
 * token (OpenID Connect Core §2). The claims of the last check are included as an aggregated claim
 * (§5.6.2).
 */
export async function phoneBundle(device: Device, request: PhoneBundle): Promise<string> {
  const { enrolled, signingKey } = device;
  if (!enrolled) throw new Error('the phone is not enrolled');
  const { baseUrl, now, audience = baseUrl, appId, nonce } = request;
  const { verifiedClaims = currentClaims(device, now) } = request;
  const kid = thumbprintOf(publicJwkOf(createPublicKey(signingKey)));
  const chain = enrolled.certificateChain.map((pem) => new X509Certificate(pem).raw);
  const [leaf = Buffer.alloc(0)] = chain;
  const iat = Math.floor(now.getTime() / 1000);
  const claims = {
    jti: randomBytes(16).toString('base64url'),
    auth_time: iat,
    acr: certAssurance,
    amr: ['hwk', 'pop'],
    cnf: { jkt: kid },
    ...(appId === undefined ? {} : { azp: appId }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(verifiedClaims === undefined ? {} : aggregated(verifiedClaims)),
  };
  return new SignJWT(claims)
    .setProtectedHeader({
      alg: 'ES256',
      kid,
      typ: bundleTyp,
      x5c: chain.map((der) => der.toString('base64')),
      'x5t#S256': createHash('sha256').update(leaf).digest('base64url'),
    })
    .setIssuer(bundleIssuer(baseUrl, enrolled.polyUserId))
    .setSubject(enrolled.polyUserId)
    .setAudience(audience)
    .setIssuedAt(iat)
    .setNotBefore(iat)
    .setExpirationTime(iat + lifeSeconds)
    .sign(signingKey);
}

function aggregated(token: string) {
  return { _claim_names: { verified_claims: 'p' }, _claim_sources: { p: { JWT: token } } };
}

/** Returns the claims token of the last check, or undefined after it expired. */
function currentClaims({ verifiedClaims }: Device, now: Date): string | undefined {
  if (verifiedClaims === null) return undefined;
  const { exp = 0 } = decodeJwt(verifiedClaims);
  return exp * 1000 > now.getTime() ? verifiedClaims : undefined;
}
