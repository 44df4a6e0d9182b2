import { readSessionToken } from '../../../../activities/tokens/session-token.ts';
import { isSessionLive } from '../../../../db/queries/credentials.ts';
import { Failure } from '../../../../workflows/failures.ts';
import type { Caller } from '../caller.ts';
import { hasExpired, type AuthDeps } from './has-expired.ts';

type Session = Extract<Caller, { kind: 'session' }>;

/** Cache lifetime of a session's state while this process receives notifications. */
const trustedMsMax = 30_000;
/** Cache lifetime of a session's state without notifications. */
const unnotifiedMsMax = 5_000;
const rememberedMax = 10_000;

interface Remembered {
  readonly sid: string;
  readonly polyUserId: string;
  readonly accountId: number | null;
  readonly atMs: number;
}

const remembered = new Map<string, Remembered>();
/** Counts invalidations: a result read before the latest one is not cached. */
let endings = 0;
let isNotified = false;

/**
 * Returns the cache key of a session token. Tokens of one `sid` can differ in account and roles.
 */
export const askedOf = (session: Pick<Session, 'sid' | 'accountId' | 'roles'>): string =>
  JSON.stringify([session.sid, session.accountId, session.roles.toSorted()]);

/** Drops the cached results of these sessions. */
export function forgetSessions(sids: readonly string[]): void {
  const ended = new Set(sids);
  forget(({ sid }) => ended.has(sid));
}

/** Drops the cached results of a person, after a change of their memberships or devices. */
export const forgetPerson = (polyUserId: string): void =>
  forget((one) => one.polyUserId === polyUserId);

/** Drops the cached results of sessions that act in an account. */
export const forgetAccount = (accountId: number): void =>
  forget((one) => one.accountId === accountId);

/**
 * Sets whether this process is notified of sessions that end in other processes. Clears the cache,
 * because notifications may have been missed.
 */
export function setNotified(notified: boolean): void {
  isNotified = notified;
  forget(() => true);
}

function forget(isEnded: (one: Remembered) => boolean): void {
  endings += 1;
  for (const [cacheKey, one] of remembered) if (isEnded(one)) remembered.delete(cacheKey);
}

/**
 * Finds the caller of a session token. Checks the database for revoked sessions, ended memberships
 * and removed roles, at most every 30 seconds per token, or every 5 seconds without notifications.
 * @param trustedMs how long a cached result is used, instead of these intervals
 * @throws Failure `credential_expired` for an expired token, else `credential_invalid`
 */
export async function authenticateSession(
  deps: AuthDeps,
  token: string,
  now: Date,
  trustedMs = isNotified ? trustedMsMax : unnotifiedMsMax,
): Promise<Session> {
  const endingsBefore = endings;
  const claims = await readSessionToken(deps.keys, deps.settings.baseUrl, token, now);
  if (!claims) {
    const isOver = await hasExpired(deps, token, now);
    throw new Failure(isOver ? 'credential_expired' : 'credential_invalid');
  }
  const { sid, account_id: accountId, roles, idp: provider, confined_to: confinedTo } = claims;
  const cacheKey = askedOf({ sid, accountId, roles });
  const seen = remembered.get(cacheKey);
  if (seen === undefined || now.getTime() - seen.atMs >= trustedMs) {
    if (!(await isSessionLive(deps.db, { sid, accountId, roles, provider }, now))) {
      remembered.delete(cacheKey);
      throw new Failure('credential_invalid');
    }
    if (endings === endingsBefore) {
      if (remembered.size >= rememberedMax) remembered.clear();
      remembered.set(cacheKey, { sid, polyUserId: claims.sub, accountId, atMs: now.getTime() });
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
