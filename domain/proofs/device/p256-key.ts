import { createPublicKey, type KeyObject } from 'node:crypto';

/** Returns the P-256 key of a DER SubjectPublicKeyInfo; null for any other bytes. */
export function p256KeyOf(spki: Uint8Array): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}
