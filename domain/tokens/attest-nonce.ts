import { createHmac, timingSafeEqual } from 'node:crypto';
import { bytesOfBase64url } from './canonical-base64url.ts';

/** A nonce of the `attest` header lives this long (RFC 9449 §8 leaves it to the server). */
export const attestNonceLifeMs = 5 * 60_000;

const randomBytesCount = 16;
const expiryBytes = 6;
const macBytes = 16;
const nonceBytes = randomBytesCount + expiryBytes + macBytes;

/**
 * Makes a nonce that carries its own expiry under our mark: giving one out stores nothing, so a
 * flood of bad headers costs no write. That it is used only once is kept by its spender.
 * @param random 16 fresh random bytes
 */
export function makeAttestNonce(secret: Uint8Array, random: Uint8Array, now: Date): string {
  const expiry = Buffer.alloc(expiryBytes);
  expiry.writeUIntBE(now.getTime() + attestNonceLifeMs, 0, expiryBytes);
  const body = Buffer.concat([random.subarray(0, randomBytesCount), expiry]);
  return Buffer.concat([body, mark(secret, body)]).toString('base64url');
}

/**
 * When a nonce of ours ends, or null for one that is not ours or has ended. It has one spelling: it
 * is spent by its text.
 * @param secrets those that are accepted
 */
export function attestNonceExpiry(
  secrets: readonly Uint8Array[],
  nonce: string,
  now: Date,
): Date | null {
  const bytes = bytesOfBase64url(nonce);
  if (bytes?.length !== nonceBytes) return null;
  const body = bytes.subarray(0, randomBytesCount + expiryBytes);
  const given = bytes.subarray(body.length);
  if (!secrets.some((secret) => timingSafeEqual(given, mark(secret, body)))) return null;
  const expiresAt = body.readUIntBE(randomBytesCount, expiryBytes);
  return expiresAt > now.getTime() ? new Date(expiresAt) : null;
}

function mark(secret: Uint8Array, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(body).digest().subarray(0, macBytes);
}
