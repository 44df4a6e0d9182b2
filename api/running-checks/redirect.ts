import { findApp } from '../../db/queries/credentials.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { Deps } from '../deps.ts';
import { leadsTo, originsOf } from '../http/fields/return-to.ts';

/**
 * Returns where a person goes after a check: the return address of the begin, else the redirect of
 * link or app. Uses an address only if its origin is still allowed, because an app can remove an
 * origin at any time.
 */
export async function redirectOf(
  { db }: Pick<Deps, 'db'>,
  { app_id: appId, return_to: returnTo, asked }: TrustCheckRow,
): Promise<string | null> {
  const app = await findApp(db, appId);
  const origins = app ? originsOf(app) : [];
  const wanted = [returnTo, asked.redirect_url].find((to) => to !== null && leadsTo(to, origins));
  return wanted ?? app?.redirect_url ?? null;
}
