import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

const codeDigits = 6;

/**
 * Returns the token of a mail: 256 bits derived from its request, base64url. It is not stored, so a
 * repeated send carries the same one.
 */
export function emailToken(secret: Uint8Array, requestId: string): string {
  return createHmac('sha256', secret).update(`token|${requestId}`).digest('base64url');
}

/** Returns the hash by which a token is found. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Returns six digits for a person who reads the mail on another device than the one in use. */
export function emailCode(secret: Uint8Array, requestId: string): string {
  const digest = createHmac('sha256', secret).update(`code|${requestId}`).digest();
  // 2^48 over 10^6: the bias of the remainder is below one in 10^8.
  return String(digest.readUIntBE(0, 6) % 10 ** codeDigits).padStart(codeDigits, '0');
}

/** Compares in constant time. */
export function isEmailCode(secret: Uint8Array, requestId: string, offered: string): boolean {
  const offeredBytes = Buffer.from(offered.padStart(codeDigits, '\u0000'));
  const expected = Buffer.from(emailCode(secret, requestId));
  return offeredBytes.length === expected.length && timingSafeEqual(offeredBytes, expected);
}
