import { findApp } from '../../db/queries/credentials.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { Deps } from '../deps.ts';
import { leadsTo, originsOf } from '../http/fields/return-to.ts';

/**
 * Where a person goes after a check: to where it was begun from if that was said, else to the
 * redirect of its link or app. An app may take back an origin at any time, also while a check runs.
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
