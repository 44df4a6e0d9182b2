import { findApp } from '../../../db/queries/credentials.ts';
import type { LinkRow } from '../../../db/queries/links.ts';
import type { Deps } from '../../deps.ts';
import { assertAllowedOrigin, originsOf } from '../../http/fields/return-to.ts';

/**
 * Requires that the origin of the return address is one of the app's, because anyone who opens a
 * link can send an address.
 * @throws Failure `forbidden_target`
 */
export async function checkReturnTo(
  deps: Pick<Deps, 'db'>,
  link: LinkRow,
  returnTo: string | undefined,
): Promise<void> {
  if (returnTo === undefined) return;
  const app = await findApp(deps.db, link.app_id);
  assertAllowedOrigin(returnTo, app ? originsOf(app) : []);
}
