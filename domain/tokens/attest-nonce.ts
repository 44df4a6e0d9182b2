import { createHmac, timingSafeEqual } from 'node:crypto';
import { bytesOfBase64url } from './canonical-base64url.ts';

/** Life of a nonce for the `attest` header (RFC 9449 §8 leaves it to the server). */
export const attestNonceLifeMs = 5 * 60_000;

const randomBytesCount = 16;
const expiryBytes = 6;
const macBytes = 16;
const nonceBytes = randomBytesCount + expiryBytes + macBytes;

/**
 * Creates a nonce that contains its own expiry and a MAC. Issuing one stores nothing, so a flood of
 * bad headers causes no writes. The caller that spends it makes sure that it is used only once.
 * @param random 16 fresh random bytes
 */
export function makeAttestNonce(secret: Uint8Array, random: Uint8Array, now: Date): string {
  const expiry = Buffer.alloc(expiryBytes);
  expiry.writeUIntBE(now.getTime() + attestNonceLifeMs, 0, expiryBytes);
  const body = Buffer.concat([random.subarray(0, randomBytesCount), expiry]);
  return Buffer.concat([body, macOf(secret, body)]).toString('base64url');
}

/**
 * Returns when a nonce expires; null if it is not ours or has expired. Only its canonical spelling
 * is accepted, because it is spent by its text.
 * @param secrets the accepted ones
 */
export function attestNonceExpiry(
  secrets: readonly Uint8Array[],
  nonce: string,
  now: Date,
): Date | null {
  const bytes = bytesOfBase64url(nonce);
  if (bytes?.length !== nonceBytes) return null;
  const body = bytes.subarray(0, randomBytesCount + expiryBytes);
  const mac = bytes.subarray(body.length);
  if (!secrets.some((secret) => timingSafeEqual(mac, macOf(secret, body)))) return null;
  const expiresAt = body.readUIntBE(randomBytesCount, expiryBytes);
  return expiresAt > now.getTime() ? new Date(expiresAt) : null;
}

function macOf(secret: Uint8Array, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(body).digest().subarray(0, macBytes);
}
