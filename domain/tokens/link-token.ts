import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Returns the `#t=` fragment of an emailed link: 128 bits derived from the link, base64url. It is
 * not stored, so a repeated send carries the same one.
 */
export function linkToken(secret: Uint8Array, linkUuid: string): string {
  const digest = createHmac('sha256', secret).update(`link|${linkUuid}`).digest();
  return digest.subarray(0, 16).toString('base64url');
}

/**
 * Compares in constant time.
 * @param secrets the accepted ones
 */
export function isLinkToken(
  secrets: readonly Uint8Array[],
  linkUuid: string,
  offered: string,
): boolean {
  const offeredBytes = Buffer.from(offered);
  return secrets.some((secret) => {
    const expected = Buffer.from(linkToken(secret, linkUuid));
    return offeredBytes.length === expected.length && timingSafeEqual(offeredBytes, expected);
  });
}
