import { findApp } from '../../db/queries/credentials.ts';
import type { LinkRow } from '../../db/queries/links.ts';
import type { Deps } from '../deps.ts';
import { mustLeadTo } from '../return-to.ts';

/**
 * Holds the address a check is to lead back to against those its app is known by: its allowed
 * origins, and those of a redirect of app or link. Whoever opens a link may name one. Throws
 * `forbidden_target`.
 */
export async function checkReturnTo(
  deps: Pick<Deps, 'db'>,
  link: LinkRow,
  returnTo: string | undefined,
): Promise<void> {
  if (returnTo === undefined) return;
  const app = await findApp(deps.db, link.app_id);
  const redirects = [link.redirect_url, app?.redirect_url].map((text) => text && URL.parse(text));
  const ofRedirects = redirects.flatMap((url) => (url ? [url.origin] : []));
  mustLeadTo(returnTo, [...(app?.allowed_origins ?? []), ...ofRedirects]);
}
