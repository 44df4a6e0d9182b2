import { findApp } from '../../db/queries/credentials.ts';
import type { LinkRow } from '../../db/queries/links.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';

/**
 * Holds the address a check is to lead back to against those its app is known by: the origin must
 * be, letter for letter, one of the app's allowed origins or that of a redirect of app or link.
 * Whoever opens a link may name one, so that any other would make us an open redirector (ASVS
 * 3.7.2). Throws `forbidden_target`.
 */
export async function checkReturnTo(
  deps: Pick<Deps, 'db'>,
  link: LinkRow,
  returnTo: string | undefined,
): Promise<void> {
  if (returnTo === undefined) return;
  const app = await findApp(deps.db, link.app_id);
  const redirects = [link.redirect_url, app?.redirect_url].map((text) => text && URL.parse(text));
  const known = [
    ...(app?.allowed_origins ?? []),
    ...redirects.flatMap((url) => (url ? [url.origin] : [])),
  ];
  if (!known.includes(new URL(returnTo).origin)) {
    throw new Failure('forbidden_target', { extra: { loc: ['body', 'return_to'] } });
  }
}
