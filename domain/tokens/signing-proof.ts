import { createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { bytesOfBase64url } from './canonical-base64url.ts';

const signatureBytes = 64;

/**
 * Whether a compact JWS (RFC 7515, ES256) over the 32 bytes of our challenge was made by the key
 * that is to be certified. Anything out of form is simply no proof; it never throws.
 * @param challenge base64url, as it was given out; it is the payload segment as it stands
 */
export function isSigningProof(key: JsonWebKey, proof: string, challenge: string): boolean {
  const [head = '', payload, tail = '', ...more] = proof.split('.');
  if (more.length > 0 || payload !== challenge || !isPlainHeader(head)) return false;
  const signature = bytesOfBase64url(tail);
  if (signature?.length !== signatureBytes) return false;
  try {
    const publicKey = createPublicKey({ key, format: 'jwk' });
    const options = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    return verify('sha256', Buffer.from(`${head}.${payload}`), options, signature);
  } catch {
    return false;
  }
}

/** ES256 and nothing that would change how the rest is read (RFC 8725 §3.1). */
function isPlainHeader(head: string): boolean {
  try {
    const header: unknown = JSON.parse(Buffer.from(head, 'base64url').toString());
    if (typeof header !== 'object' || header === null) return false;
    const { alg } = header as { alg?: unknown };
    return alg === 'ES256' && !['crit', 'b64', 'zip'].some((name) => name in header);
  } catch {
    return false;
  }
}
