import { decodeProtectedHeader } from 'jose';
import type { PublicJwk } from '../pki/x509/thumbprint.ts';
import { bytesOfBase64url } from './canonical-base64url.ts';
import { isSignedBy } from './jws.ts';

/** `jose` ignores `zip` in a JWS and accepts `crit` for `b64`. */
const forbidden = ['crit', 'b64', 'zip'];

/**
 * Whether the key to be certified signed a compact JWS (RFC 7515, ES256) over the 32 bytes of a
 * challenge. Returns false for any other text; never throws.
 * @param challenge base64url; compared with the payload segment as text
 */
export async function isSigningProof(
  key: PublicJwk,
  proof: string,
  challenge: string,
): Promise<boolean> {
  const [, payload, signature = ''] = proof.split('.');
  if (payload !== challenge || bytesOfBase64url(signature) === null) return false;
  try {
    const header = decodeProtectedHeader(proof);
    if (forbidden.some((name) => Object.hasOwn(header, name))) return false;
    // `jose` freezes the object.
    return await isSignedBy({ token: proof }, { ...key });
  } catch {
    return false;
  }
}
