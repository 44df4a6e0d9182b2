import { readJoinToken } from '../../../../activities/tokens/join-token.ts';
import type { Caller } from '../caller.ts';
import type { AuthDeps } from './has-expired.ts';

/** Returns the caller of a join token; null for an invalid token or one of another kind. */
export async function authenticateJoinToken(
  deps: AuthDeps,
  token: string,
  now: Date,
): Promise<Extract<Caller, { kind: 'join-token' }> | null> {
  const claims = await readJoinToken(deps.keys, deps.settings.baseUrl, token, now);
  return (
    claims && {
      kind: 'join-token',
      joinSessionId: claims.sub,
      expiresAt: new Date(claims.exp * 1000),
    }
  );
}
