import { createHash, type KeyObject, type X509Certificate } from 'node:crypto';

/** A public key on P-256 (RFC 7518 §6.2.1). */
export interface PublicJwk {
  kty: string;
  crv: string;
  x: string;
  y: string;
}

/**
 * Returns the RFC 7638 SHA-256 thumbprint of an EC public key, base64url: the `kid` of every key.
 */
export function thumbprintOf({ crv, kty, x, y }: PublicJwk): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

/**
 * Returns the public members of an EC key (RFC 7518 §6.2.1).
 * @throws TypeError for a key of another kind
 */
export function publicJwkOf(key: KeyObject): PublicJwk {
  const { kty, crv, x, y } = key.export({ format: 'jwk' });
  if (kty === undefined || crv === undefined || x === undefined || y === undefined) {
    throw new TypeError('the key is not on an elliptic curve');
  }
  return { kty, crv, x, y };
}

/** Returns the RFC 7638 thumbprint of a certificate's public key. */
export function kidOf(certificate: X509Certificate): string {
  return thumbprintOf(publicJwkOf(certificate.publicKey));
}
