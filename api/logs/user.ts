import { enterAccount } from '../accounts/access/enter.ts';
import { handler } from '../http/contract.ts';
import { listLogs, type ListDeps } from './list.ts';
import { streamContracts } from './stream-contracts.ts';

/** Returns what a person took part in, in one account. An unknown person has an empty log. */
export const user = handler(streamContracts.user)(async (
  { path, query, caller, authorizeIn },
  deps: ListDeps,
) => {
  const { account_id: accountId, poly_user_id: polyUserId } = path;
  const { livemode } = await enterAccount(deps, { caller, authorizeIn }, accountId);
  return listLogs(deps, { scope: { kind: 'person', polyUserId, accountId }, livemode }, query);
});
