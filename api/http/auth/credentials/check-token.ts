import { readCheckToken } from '../../../../activities/tokens/check-token.ts';
import type { Caller } from '../caller.ts';
import type { AuthDeps } from './has-expired.ts';

/** The caller of a check token, or null when the token is of another kind or not good. */
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
