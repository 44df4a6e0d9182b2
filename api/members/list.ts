import { listMembers } from '../../db/queries/memberships.ts';
import { enterAccount } from '../accounts/enter.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { limitAndOffset, pageOf } from '../paging.ts';
import { memberContracts } from './contract.ts';
import { presentMember } from './present.ts';

/** The members of an account with the roles they hold now. */
export const list = handler(memberContracts.list)(async (
  { path, query, caller, authorizeIn },
  { db }: Pick<Deps, 'db'>,
) => {
  await enterAccount({ db }, { caller, authorizeIn }, path.account_id);
  const { rows, total } = await listMembers(db, path.account_id, limitAndOffset(query));
  return { status: 200, body: pageOf(rows.map(presentMember), total, query) };
});
