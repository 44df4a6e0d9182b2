import { listAppOrigins } from '../../db/queries/apps.ts';
import type { Deps } from '../deps.ts';
import { safeUrl } from '../http/fields/fields.ts';
import { assertAllowedOrigin } from '../http/fields/return-to.ts';

/**
 * A path on this service that every URL parser reads as a path: no host, backslash or invisible
 * character.
 */
const ownPath = /^\/(?![/\\]|%2f|%5c)[\x21-\x5b\x5d-\x7e]*$/i;

/**
 * Returns the absolute return address of a flow. It must be a path here, one of the service's
 * pages, or have an origin of an active app of the account.
 * @throws Failure `forbidden_target`
 */
export async function assertReturnTo(
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  accountId: number,
  returnTo: string,
): Promise<string> {
  if (ownPath.test(returnTo)) return new URL(returnTo, settings.baseUrl).href;
  const isPlain = safeUrl.safeParse(returnTo).success;
  const origins = isPlain ? [...settings.origins, ...(await listAppOrigins(db, accountId))] : [];
  assertAllowedOrigin(returnTo, origins, ['query', 'return_to']);
  return new URL(returnTo).href;
}
