import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The `#t=` fragment of an emailed link: derived from the link, never stored, so that a repeated
 * send carries the same one. 128 bits, base64url.
 */
export function linkToken(secret: Uint8Array, linkUuid: string): string {
  const digest = createHmac('sha256', secret).update(`link|${linkUuid}`).digest();
  return digest.subarray(0, 16).toString('base64url');
}

/**
 * Compares in constant time.
 * @param secrets those that are accepted
 */
export function isLinkToken(
  secrets: readonly Uint8Array[],
  linkUuid: string,
  offered: string,
): boolean {
  const given = Buffer.from(offered);
  return secrets.some((secret) => {
    const expected = Buffer.from(linkToken(secret, linkUuid));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
