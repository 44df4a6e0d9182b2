import { listAccounts } from '../../db/queries/accounts.ts';
import { rolesIn } from '../../domain/names.ts';
import type { Deps } from '../deps.ts';
import { onlyAccountOf } from '../http/auth/session-scope.ts';
import { handler } from '../http/contract.ts';
import { limitAndOffset, pageOf } from '../http/fields/paging.ts';
import { accountContracts } from './contract.ts';
import { presentAccount } from './present.ts';

/**
 * Returns the accounts a person can act in, with their current roles. A session limited to one
 * account sees only that account, with the session's roles.
 */
export const list = handler(accountContracts.list)(async (
  { caller, query },
  { db }: Pick<Deps, 'db'>,
) => {
  const only = onlyAccountOf(caller);
  const isWhole = only === undefined;
  const asked = {
    polyUserId: caller.polyUserId,
    isEverywhere: isWhole && caller.roles.includes('POLYADMIN'),
    only: only ?? null,
    provider: caller.provider ?? null,
  };
  const { rows, total } = await listAccounts(db, asked, limitAndOffset(query));
  const items = rows.map((row) => ({
    ...presentAccount(row),
    roles: rolesIn(isWhole ? (row.roles ?? []) : caller.roles),
  }));
  return { status: 200, body: pageOf(items, total, query) };
});
