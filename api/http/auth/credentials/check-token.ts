import { readCheckToken } from '../../../../activities/tokens/check-token.ts';
import type { Caller } from '../caller.ts';
import type { AuthDeps } from './has-expired.ts';

/** Returns the caller of a check token; null for an invalid token or one of another kind. */
export async function authenticateCheckToken(
  deps: AuthDeps,
  token: string,
  now: Date,
): Promise<Extract<Caller, { kind: 'check-token' }> | null> {
  const claims = await readCheckToken(deps.keys, deps.settings.baseUrl, token, now);
  return (
    claims && {
      kind: 'check-token',
      linkSessionId: claims.sub,
      jkt: claims.jkt,
      expiresAt: new Date(claims.exp * 1000),
    }
  );
}
