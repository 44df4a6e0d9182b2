import { createHash, timingSafeEqual } from 'node:crypto';
import type { Ids } from '../../db/ids.ts';

const secretBytes = 32;
const form = /^(tc_[0-9a-z]{26})\.[A-Za-z0-9_-]{43}$/;

/**
 * Makes the token with which the first client of a session can resume it: the session's id and 256
 * random bits, base64url. Only its hash is stored.
 */
export function makeResumeToken(ids: Ids, linkSessionId: string): { token: string; hash: Buffer } {
  const token = `${linkSessionId}.${ids.bytes(secretBytes).toString('base64url')}`;
  return { token, hash: hashOf(token) };
}

/** Returns the session id in a token without verifying it, or null for another form. */
export const sessionNamedBy = (token: string): string | null => form.exec(token)?.[1] ?? null;

/** Compares in constant time. `hash` is that of the session, null if it has none. */
export const isResumeToken = (hash: Buffer | null, offered: string): boolean =>
  hash !== null && timingSafeEqual(hash, hashOf(offered));

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();
