import { listSsoProviders } from '../../db/queries/sso-providers.ts';
import { enterAccount } from '../accounts/access/enter.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { limitAndOffset, pageOf } from '../http/fields/paging.ts';
import { ssoProviderContracts } from './contract.ts';
import { presentSsoProvider } from './present.ts';

/** Returns the providers of an account. */
export const list = handler(ssoProviderContracts.list)(async (
  { path, query, caller, authorizeIn },
  { db }: Pick<Deps, 'db'>,
) => {
  await enterAccount({ db }, { caller, authorizeIn }, path.account_id);
  const { rows, total } = await listSsoProviders(db, path.account_id, limitAndOffset(query));
  return { status: 200, body: pageOf(rows.map(presentSsoProvider), total, query) };
});
