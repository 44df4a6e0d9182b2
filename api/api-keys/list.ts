import { listApiKeys } from '../../db/queries/api-keys.ts';
import { enterAccount } from '../accounts/access/enter.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { limitAndOffset, pageOf } from '../http/fields/paging.ts';
import { apiKeyContracts } from './contract.ts';
import { presentApiKey } from './present.ts';

export const list = handler(apiKeyContracts.list)(async (
  { path, query, caller, authorizeIn },
  { db }: Pick<Deps, 'db'>,
) => {
  await enterAccount({ db }, { caller, authorizeIn }, path.account_id);
  const { rows, total } = await listApiKeys(db, path.account_id, limitAndOffset(query));
  return { status: 200, body: pageOf(rows.map(presentApiKey), total, query) };
});
