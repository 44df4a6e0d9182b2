import { listMembers } from '../../db/queries/memberships.ts';
import { enterAccount } from '../accounts/access/enter.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { limitAndOffset, pageOf } from '../http/fields/paging.ts';
import { memberContracts } from './contract.ts';
import { presentMember } from './present.ts';

/** Returns the members of an account with their current roles. */
export const list = handler(memberContracts.list)(async (
  { path, query, caller, authorizeIn },
  { db }: Pick<Deps, 'db'>,
) => {
  await enterAccount({ db }, { caller, authorizeIn }, path.account_id);
  const { rows, total } = await listMembers(db, path.account_id, limitAndOffset(query));
  return { status: 200, body: pageOf(rows.map(presentMember), total, query) };
});
