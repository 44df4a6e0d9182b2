import { enterAccount } from '../accounts/enter.ts';
import { handler } from '../contract.ts';
import { listLogs, type ListDeps } from './list.ts';
import { streamContracts } from './stream-contracts.ts';

/** What a person took part in, in one account; nobody is told whether there is such a person. */
export const user = handler(streamContracts.user)(async (
  { path, query, caller, authorize },
  deps: ListDeps,
) => {
  const { account_id: accountId, poly_user_id: polyUserId } = path;
  await enterAccount(deps, { caller, authorize }, accountId);
  return listLogs(deps, { kind: 'person', polyUserId, accountId }, query);
});
