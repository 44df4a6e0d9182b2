import { createHmac, timingSafeEqual } from 'node:crypto';
import { secretPurposes } from '../secret-purposes.ts';

const form = /^(tc_[0-9a-z]{26})\.([1-9]\d{0,8})\.[A-Za-z0-9_-]{22}$/;

/** Life of an unused pair token: long enough for a text message to arrive. */
export const pairTokenLifeMs = secretPurposes['pair-token'].lifeMs;

/** The content of a pair token: a session, and the number of the token in it, from 1. */
export interface Paired {
  readonly linkSessionId: string;
  readonly generation: number;
}

/**
 * Returns the `#p=` fragment that a page shows to the phone. It names the session and proves that
 * its holder saw the page. It is derived, not stored: the session's id, the token's number, and 128
 * bits in base64url. The row of the session decides whether that number is still valid.
 */
export function pairToken(secret: Uint8Array, { linkSessionId, generation }: Paired): string {
  const named = `${linkSessionId}.${generation}`;
  const digest = createHmac('sha256', secret).update(`pair|${named}`).digest();
  return `${named}.${digest.subarray(0, 16).toString('base64url')}`;
}

/**
 * Returns the content of a genuine pair token, or null. Compares in constant time and only accepts
 * the canonical spelling.
 * @param secrets the accepted ones
 */
export function readPairToken(secrets: readonly Uint8Array[], offered: string): Paired | null {
  const [, linkSessionId, generation] = form.exec(offered) ?? [];
  if (linkSessionId === undefined) return null;
  const named = { linkSessionId, generation: Number(generation) };
  const offeredBytes = Buffer.from(offered);
  const isGood = secrets.some((secret) =>
    timingSafeEqual(Buffer.from(pairToken(secret, named)), offeredBytes),
  );
  return isGood ? named : null;
}
