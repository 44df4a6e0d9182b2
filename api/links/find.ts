import { findLink, type LinkRow } from '../../db/queries/links.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import type { Caller } from '../http/auth/caller.ts';

/** A link that exists, was not deleted, and is of the named app. Throws `not_found`. */
export async function findLinkOrThrow(
  deps: Pick<Deps, 'db'>,
  linkUuid: string,
  appId: string | undefined,
): Promise<LinkRow> {
  const link = await findLink(deps.db, linkUuid);
  if (!link || link.status === 'deleted' || (appId !== undefined && link.app_id !== appId)) {
    throw new Failure('not_found');
  }
  return link;
}

/** A member changes the links they made; an ADMIN any of the account's (domain §6). */
export function checkOwnership(link: LinkRow, caller: Caller, name: string): void {
  if (caller.kind !== 'session' && caller.kind !== 'api-key') throw new Failure('not_found');
  const isAdmin = caller.roles.includes('ADMIN') || caller.roles.includes('POLYADMIN');
  if (!isAdmin && link.created_by !== name) throw new Failure('role_required');
}

/** RFC 9110 §13.1.1: the change applies only to the version the caller has seen. */
export function checkVersion(etag: string, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch === '*') return;
  const offered = ifMatch.split(',').map((tag) => tag.trim());
  if (!offered.includes(etag)) throw new Failure('precondition_failed');
}
