import { enterAccount } from '../accounts/enter.ts';
import { handler } from '../contract.ts';
import { listLogs, type ListDeps } from './list.ts';
import { streamContracts } from './stream-contracts.ts';

/** What happened in an account; named an app, that app's checks alone. */
export const account = handler(streamContracts.account)(async (
  { path, query, caller, authorizeIn },
  deps: ListDeps,
) => {
  const { account_id: accountId } = path;
  const { livemode } = await enterAccount(deps, { caller, authorizeIn }, accountId);
  const { app_id: appId } = query;
  const scope =
    appId === undefined
      ? ({ kind: 'account', accountId } as const)
      : ({ kind: 'app', accountId, appId } as const);
  return listLogs(deps, { scope, livemode }, query);
});
