import { statement } from '../../db/client.ts';
import type { Caller } from '../auth/caller.ts';
import { isOriginOfApps } from '../cors.ts';
import type { Deps } from '../deps.ts';

type OriginDeps = Pick<Deps, 'db' | 'settings'>;

const allowedToCheck = statement<{ allowed: boolean }>(
  'apps.allows_origin_to_check',
  `SELECT true AS allowed FROM trust_checks t JOIN apps a USING (app_id)
   WHERE t.link_session_id = $1 AND $2 = ANY (a.allowed_origins) AND a.status = 'active'`,
);

const allowedToJoin = statement<{ allowed: boolean }>(
  'apps.allows_origin_to_join',
  `SELECT true AS allowed
   FROM join_sessions j JOIN links USING (link_uuid) JOIN apps a USING (app_id)
   WHERE j.join_session_id = $1 AND $2 = ANY (a.allowed_origins) AND a.status = 'active'`,
);

/** Whether a handshake is heard at all: who calls is not known before its credential is read. */
export async function admitsHandshake(
  deps: OriginDeps,
  origin: string | undefined,
): Promise<boolean> {
  return origin === undefined || isOwn(deps, origin) || isOriginOfApps(deps, origin);
}

/**
 * Whether a page of this origin may follow events as this caller: one of ours always, another with
 * a check or join token only, from an origin the app of its link lists. Other credentials are not
 * for foreign pages; a program that sends no origin may hold any.
 */
export async function admitsOrigin(
  deps: OriginDeps,
  origin: string | undefined,
  caller: Caller,
): Promise<boolean> {
  if (origin === undefined || isOwn(deps, origin)) return true;
  if (caller.kind === 'check-token') {
    return (await allowedToCheck(deps.db, [caller.linkSessionId, origin])).length > 0;
  }
  if (caller.kind !== 'join-token') return false;
  return (await allowedToJoin(deps.db, [caller.joinSessionId, origin])).length > 0;
}

function isOwn(deps: OriginDeps, origin: string): boolean {
  return deps.settings.origins.includes(origin);
}
