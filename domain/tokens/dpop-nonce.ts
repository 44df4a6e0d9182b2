import { createHmac, timingSafeEqual } from 'node:crypto';
import { bytesOfBase64url } from './canonical-base64url.ts';

const periodMs = 5 * 60_000;
const nonceBytes = 16;

/** A nonce is accepted in its own period and in the next one. */
export const dpopNonceLifeMs = 2 * periodMs;

/**
 * Returns the nonce of a period, for the `DPoP-Nonce` header (RFC 9449 §8). It is the same for
 * every caller, so that the server stores nothing before a proof is valid.
 */
export function dpopNonce(secret: Uint8Array, now: Date): string {
  return nonceOf(secret, periodOf(now)).toString('base64url');
}

/**
 * Returns when a nonce of this or the previous period expires; null for any other text.
 * @param secrets the accepted ones
 */
export function dpopNonceExpiry(
  secrets: readonly Uint8Array[],
  nonce: string,
  now: Date,
): Date | null {
  const bytes = bytesOfBase64url(nonce);
  if (bytes?.length !== nonceBytes) return null;
  const current = periodOf(now);
  const period = [current, current - 1].find((each) =>
    secrets.some((secret) => timingSafeEqual(bytes, nonceOf(secret, each))),
  );
  return period === undefined ? null : new Date(period * periodMs + dpopNonceLifeMs);
}

const periodOf = (now: Date): number => Math.floor(now.getTime() / periodMs);

const nonceOf = (secret: Uint8Array, period: number): Buffer =>
  createHmac('sha256', secret).update(`dpop-nonce|${period}`).digest().subarray(0, nonceBytes);
