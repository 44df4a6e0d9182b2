import { enterAccount } from '../accounts/access/enter.ts';
import { handler } from '../http/contract.ts';
import { listLogs, type ListDeps } from './list.ts';
import { streamContracts } from './stream-contracts.ts';

/** What a person took part in, in one account; nobody is told whether there is such a person. */
export const user = handler(streamContracts.user)(async (
  { path, query, caller, authorizeIn },
  deps: ListDeps,
) => {
  const { account_id: accountId, poly_user_id: polyUserId } = path;
  const { livemode } = await enterAccount(deps, { caller, authorizeIn }, accountId);
  return listLogs(deps, { scope: { kind: 'person', polyUserId, accountId }, livemode }, query);
});
