import { createHmac, timingSafeEqual } from 'node:crypto';

const form = /^(tc_[0-9a-z]{26})\.[A-Za-z0-9_-]{22}$/;

/**
 * The `#p=` fragment a page shows its phone: it names the session and proves that whoever has it
 * was shown it. Derived, never stored; 128 bits, base64url, behind the session's id.
 */
export function pairToken(secret: Uint8Array, linkSessionId: string): string {
  const digest = createHmac('sha256', secret).update(`pair|${linkSessionId}`).digest();
  return `${linkSessionId}.${digest.subarray(0, 16).toString('base64url')}`;
}

/**
 * The session of a good pair token, or null; compares in constant time and as it is spelled.
 * @param secrets those that are accepted
 */
export function sessionOfPairToken(secrets: readonly Uint8Array[], offered: string): string | null {
  const id = form.exec(offered)?.[1];
  if (id === undefined) return null;
  const given = Buffer.from(offered);
  const isGood = secrets.some((secret) =>
    timingSafeEqual(Buffer.from(pairToken(secret, id)), given),
  );
  return isGood ? id : null;
}
