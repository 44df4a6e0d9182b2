import { isSessionLive } from '../../db/queries/credentials.ts';
import { readSessionToken } from '../../activities/tokens/session-token.ts';
import { Failure } from '../../workflows/failures.ts';
import type { AuthDeps } from './authenticate.ts';
import { hasExpired } from './has-expired.ts';
import type { Caller } from './caller.ts';

type Session = Extract<Caller, { kind: 'session' }>;

/** How long what the store said of a session is believed. */
const trustedMsMax = 30_000;
const rememberedMax = 10_000;
const remembered = new Map<string, { readonly sid: string; readonly atMs: number }>();
/** Rises with each end of sessions: what was read before it is not to be believed after it. */
let endings = 0;

/** Names what the store is asked of a session: its tokens may speak of other accounts, or roles. */
export const askedOf = (held: Pick<Session, 'sid' | 'accountId' | 'roles'>): string =>
  JSON.stringify([held.sid, held.accountId, held.roles.toSorted()]);

/** Has this process ask the store anew of sessions that were ended; others do in their time. */
export function forgetSessions(sids: readonly string[]): void {
  endings += 1;
  const ended = new Set(sids);
  for (const [asked, { sid }] of remembered) if (ended.has(sid)) remembered.delete(asked);
}

/**
 * Finds the caller of a session token. Whether its `sid` was revoked, or its membership has ended
 * or lost a role, is asked of the store: at most every 30 seconds for one session, `trustedMs`
 * where that is too seldom.
 * @throws Failure `credential_expired` for a token that has run out, else `credential_invalid`
 */
export async function authenticateSession(
  deps: AuthDeps,
  token: string,
  now: Date,
  trustedMs = trustedMsMax,
): Promise<Session> {
  const claims = readSessionToken(deps.keys, deps.settings.baseUrl, token, now);
  if (!claims) {
    throw new Failure(hasExpired(deps, token, now) ? 'credential_expired' : 'credential_invalid');
  }
  const { sid, account_id: accountId, roles, idp: provider, confined_to: confinedTo } = claims;
  const asked = askedOf({ sid, accountId, roles });
  const seen = remembered.get(asked);
  if (seen === undefined || now.getTime() - seen.atMs >= trustedMs) {
    const endingsBefore = endings;
    if (!(await isSessionLive(deps.db, { sid, accountId, roles, provider }, now))) {
      remembered.delete(asked);
      throw new Failure('credential_invalid');
    }
    if (endings === endingsBefore) {
      if (remembered.size >= rememberedMax) remembered.clear();
      remembered.set(asked, { sid, atMs: now.getTime() });
    }
  }
  return {
    kind: 'session',
    polyUserId: claims.sub,
    sid,
    accountId,
    roles,
    authMethod: claims.auth_method,
    expiresAt: new Date(claims.exp * 1000),
    authTime: new Date(claims.auth_time * 1000),
    provider,
    confinedTo,
  };
}
