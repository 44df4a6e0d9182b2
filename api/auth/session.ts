import { isSessionLive } from '../../db/queries/credentials.ts';
import { readSessionToken } from '../../activities/tokens/session-token.ts';
import { Failure } from '../../workflows/failures.ts';
import type { AuthDeps } from './authenticate.ts';
import { hasExpired } from './has-expired.ts';
import type { Caller } from './caller.ts';

type Session = Extract<Caller, { kind: 'session' }>;

/** How long an answer of the store about a session counts while the process hears of changes. */
const trustedMsMax = 30_000;
/** While it does not hear of them. */
const deafMsMax = 5_000;
const rememberedMax = 10_000;

interface Remembered {
  readonly sid: string;
  readonly polyUserId: string;
  readonly accountId: number | null;
  readonly atMs: number;
}

const remembered = new Map<string, Remembered>();
/** Rises with each end of sessions: an answer that was read before it no longer counts. */
let endings = 0;
let isHearing = false;

/** Names what the store is asked of a session: its tokens may speak of other accounts, or roles. */
export const askedOf = (held: Pick<Session, 'sid' | 'accountId' | 'roles'>): string =>
  JSON.stringify([held.sid, held.accountId, held.roles.toSorted()]);

/** Has this process ask the store anew about these sessions. */
export function forgetSessions(sids: readonly string[]): void {
  const ended = new Set(sids);
  forget(({ sid }) => ended.has(sid));
}

/** The same for every session of a person, whose memberships or devices have changed. */
export const forgetPerson = (polyUserId: string): void =>
  forget((one) => one.polyUserId === polyUserId);

/** The same for every session that acts in an account. */
export const forgetAccount = (accountId: number): void =>
  forget((one) => one.accountId === accountId);

/**
 * Tells whether the process hears of sessions that end in other processes. It asks anew about all
 * of them, since it heard nothing until now.
 */
export function setHearing(hears: boolean): void {
  isHearing = hears;
  forget(() => true);
}

function forget(isEnded: (one: Remembered) => boolean): void {
  endings += 1;
  for (const [asked, one] of remembered) if (isEnded(one)) remembered.delete(asked);
}

/**
 * Finds the caller of a session token. Whether its `sid` was revoked, or its membership has ended
 * or lost a role, is asked of the store: at most every 30 seconds for one session, every 5 while
 * the process hears of no changes, `trustedMs` where that is too seldom.
 * @throws Failure `credential_expired` for a token that has run out, else `credential_invalid`
 */
export async function authenticateSession(
  deps: AuthDeps,
  token: string,
  now: Date,
  trustedMs = isHearing ? trustedMsMax : deafMsMax,
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
      remembered.set(asked, { sid, polyUserId: claims.sub, accountId, atMs: now.getTime() });
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
