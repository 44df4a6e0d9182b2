import { blindOf } from '../../../activities/identity/email/requests.ts';
import { soughtDigests } from '../../../activities/identity/names.ts';
import { createClaimsOpener } from '../../../activities/trust-checks/claims.ts';
import { listAppUsers, listLastPassed, type AppUserSearch } from '../../../db/queries/app-users.ts';
import { findAnyApp } from '../../../db/queries/apps.ts';
import type { AppRow } from '../../../db/queries/credentials.ts';
import { readAddress } from '../../../domain/identity/email-address.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { limitAndOffset, pageOf } from '../../http/fields/paging.ts';
import { appContracts } from '../contract.ts';
import { maskedEmailsOf } from './masked-emails.ts';

type UsersDeps = Pick<Deps, 'db' | 'sealer'>;

/** Returns the users of an app. Names are those that a check released to the account. */
export const users = handler(appContracts.users)(async (input, deps: UsersDeps) => {
  const app = await findAnyApp(deps.db, input.path.app_id);
  if (!app) throw new Failure('not_found');
  input.authorize(app);
  const { search, platform = null, role = null } = input.query;
  const filter = { search: search ? searchOf(deps, app, search) : null, platform, role };
  const { rows, total } = await listAppUsers(deps.db, app, filter, limitAndOffset(input.query));
  const ids = rows.map(({ poly_user_id }) => poly_user_id);
  const [names, emails] = await Promise.all([namesOf(deps, app, ids), maskedEmailsOf(deps, ids)]);
  const items = rows.map((row) => ({
    poly_user_id: row.poly_user_id,
    display_name: names.get(row.poly_user_id) ?? null,
    email_masked: emails.get(row.poly_user_id) ?? null,
    platform: row.platform,
    role: row.role,
    first_seen_at: row.first_seen_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    checks: { passed: row.passed, failed: row.failed },
  }));
  return { status: 200, body: pageOf(items, total, input.query) };
});

function searchOf({ sealer }: UsersDeps, app: AppRow, text: string): AppUserSearch {
  const address = readAddress(text);
  return {
    text,
    names: soughtDigests(sealer, app.account_id, text),
    emailBlind: address && blindOf(sealer, address),
  };
}

async function namesOf(
  { db, sealer }: UsersDeps,
  app: AppRow,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const open = createClaimsOpener(sealer);
  const names = new Map<string, string>();
  for (const row of await listLastPassed(db, app, ids)) {
    const { full_name: name } = await open(row);
    if (name !== undefined && row.poly_user_id) names.set(row.poly_user_id, name);
  }
  return names;
}
