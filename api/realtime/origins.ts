import type { Deps } from '../deps.ts';
import type { Caller } from '../http/auth/caller.ts';
import { isOfLink, isOriginOfApps, isOriginOfLink } from '../http/server/cors.ts';

type OriginDeps = Pick<Deps, 'db' | 'settings'>;

/**
 * Whether a handshake from this origin is accepted. The caller is not known before its credential
 * is read.
 */
export async function admitsHandshake(
  deps: OriginDeps,
  origin: string | undefined,
): Promise<boolean> {
  return origin === undefined || isOwn(deps, origin) || isOriginOfApps(deps, origin);
}

/**
 * Whether a page of this origin may follow events as this caller. The service's own pages always
 * may. Other pages need a check or join token, and an origin that the app of its link lists. A
 * program without an origin may use any credential.
 */
export async function admitsOrigin(
  deps: OriginDeps,
  origin: string | undefined,
  caller: Caller,
): Promise<boolean> {
  if (origin === undefined || isOwn(deps, origin)) return true;
  return isOfLink(caller) && isOriginOfLink(deps, origin, caller);
}

function isOwn(deps: OriginDeps, origin: string): boolean {
  return deps.settings.origins.includes(origin);
}
