import { readCheckToken } from '../../../../activities/tokens/check-token.ts';
import { readJoinToken } from '../../../../activities/tokens/join-token.ts';
import { readSessionToken } from '../../../../activities/tokens/session-token.ts';
import { parseJws } from '../../../../domain/tokens/jws.ts';
import type { Deps } from '../../../deps.ts';

export type AuthDeps = Pick<Deps, 'db' | 'keys' | 'settings'>;

/**
 * Whether a session, check or join token was valid when it was issued and has since expired. The
 * signature is verified first, so a forger learns nothing.
 */
export async function hasExpired(
  { keys, settings }: AuthDeps,
  token: string,
  now: Date,
): Promise<boolean> {
  const issuedAt = parseJws(token)?.claims['iat'];
  if (typeof issuedAt !== 'number') return false;
  const then = new Date(issuedAt * 1000);
  if (!(then < now)) return false;
  for (const read of [readSessionToken, readCheckToken, readJoinToken]) {
    if ((await read(keys, settings.baseUrl, token, then)) !== null) return true;
  }
  return false;
}
