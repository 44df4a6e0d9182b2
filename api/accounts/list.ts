import { knownRoles } from '../../db/names.ts';
import { listAccounts } from '../../db/queries/accounts.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { limitAndOffset, pageOf } from '../paging.ts';
import { accountContracts } from './contract.ts';
import { presentAccount } from './present.ts';

/** The accounts a person can act in, with the roles they hold there now. */
export const list = handler(accountContracts.list)(async (
  { caller, query },
  { db }: Pick<Deps, 'db'>,
) => {
  const isEverywhere = caller.roles.includes('POLYADMIN');
  const page = limitAndOffset(query);
  const { rows, total } = await listAccounts(db, caller.polyUserId, isEverywhere, page);
  const items = rows.map((row) => ({
    ...presentAccount(row),
    roles: knownRoles(row.roles ?? []),
  }));
  return { status: 200, body: pageOf(items, total, query) };
});
