import { createHmac, timingSafeEqual } from 'node:crypto';
import { secretPurposes } from '../secret-purposes.ts';

const form = /^(tc_[0-9a-z]{26})\.([1-9]\d{0,8})\.[A-Za-z0-9_-]{22}$/;

/** How long an unused pair token is good: enough for a text message to arrive. */
export const pairTokenLifeMs = secretPurposes['pair-token'].lifeMs;

/** What a pair token names: a session, and which of its tokens it is, from 1. */
export interface Paired {
  readonly linkSessionId: string;
  readonly generation: number;
}

/**
 * The `#p=` fragment a page shows its phone: it names the session and proves that whoever has it
 * was shown it. Derived, never stored; 128 bits, base64url, behind the session's id and the number
 * of the token. The row of the session says whether that number is still good.
 */
export function pairToken(secret: Uint8Array, { linkSessionId, generation }: Paired): string {
  const named = `${linkSessionId}.${generation}`;
  const digest = createHmac('sha256', secret).update(`pair|${named}`).digest();
  return `${named}.${digest.subarray(0, 16).toString('base64url')}`;
}

/**
 * What a genuine pair token names, or null; compares in constant time and as it is spelled.
 * @param secrets those that are accepted
 */
export function readPairToken(secrets: readonly Uint8Array[], offered: string): Paired | null {
  const [, linkSessionId, generation] = form.exec(offered) ?? [];
  if (linkSessionId === undefined) return null;
  const named = { linkSessionId, generation: Number(generation) };
  const given = Buffer.from(offered);
  const isGood = secrets.some((secret) =>
    timingSafeEqual(Buffer.from(pairToken(secret, named)), given),
  );
  return isGood ? named : null;
}
