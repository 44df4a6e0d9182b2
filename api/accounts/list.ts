import { knownRoles } from '../../db/names.ts';
import { listAccounts } from '../../db/queries/accounts.ts';
import { wholePersonOf } from '../auth/whole-person.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { limitAndOffset, pageOf } from '../paging.ts';
import { accountContracts } from './contract.ts';
import { presentAccount } from './present.ts';

/**
 * The accounts a person can act in, with the roles they hold there now; that of its provider alone
 * for a session that came by one.
 */
export const list = handler(accountContracts.list)(async (
  { caller, query },
  { db }: Pick<Deps, 'db'>,
) => {
  const isWhole = wholePersonOf(caller) !== null;
  const asked = {
    polyUserId: caller.polyUserId,
    isEverywhere: isWhole && caller.roles.includes('POLYADMIN'),
    only: isWhole ? null : caller.accountId,
    provider: caller.provider ?? null,
  };
  const { rows, total } = await listAccounts(db, asked, limitAndOffset(query));
  const items = rows.map((row) => ({
    ...presentAccount(row),
    roles: knownRoles(isWhole ? (row.roles ?? []) : caller.roles),
  }));
  return { status: 200, body: pageOf(items, total, query) };
});
