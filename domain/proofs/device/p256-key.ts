import { createPublicKey, type KeyObject } from 'node:crypto';

/** The P-256 key of a SubjectPublicKeyInfo in DER; null for bytes that are none. */
export function p256KeyOf(spki: Uint8Array): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}
