import { listAppOrigins } from '../../db/queries/apps.ts';
import type { Deps } from '../deps.ts';
import { safeUrl } from '../http/fields/fields.ts';
import { assertAllowedOrigin } from '../http/fields/return-to.ts';

/** A path of ours that every reader takes for one: no host, no backslash, nothing unseen. */
const ownPath = /^\/(?![/\\]|%2f|%5c)[\x21-\x5b\x5d-\x7e]*$/i;

/**
 * Where the browser of a flow is led in the end: a path here, our pages, or an origin of an active
 * app of the account, letter for letter.
 * @throws Failure `forbidden_target` for anywhere else
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
