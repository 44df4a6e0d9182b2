import { findLink, type LinkRow } from '../../db/queries/links.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import type { Caller } from '../http/auth/caller.ts';

/**
 * Returns a link that is not deleted and belongs to the named app.
 * @throws Failure `not_found`
 */
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

/**
 * Requires that the caller made the link or is an ADMIN of its account.
 * @throws Failure `role_required`
 */
export function checkOwnership(link: LinkRow, caller: Caller, name: string): void {
  if (caller.kind !== 'session' && caller.kind !== 'api-key') throw new Failure('not_found');
  const isAdmin = caller.roles.includes('ADMIN') || caller.roles.includes('POLYADMIN');
  if (!isAdmin && link.created_by !== name) throw new Failure('role_required');
}

/**
 * Applies a change only to the version that the caller has seen (RFC 9110 §13.1.1).
 * @throws Failure `precondition_failed`
 */
export function checkVersion(etag: string, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch === '*') return;
  const offered = ifMatch.split(',').map((tag) => tag.trim());
  if (!offered.includes(etag)) throw new Failure('precondition_failed');
}
