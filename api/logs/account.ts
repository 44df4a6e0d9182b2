import { Failure } from '../../workflows/failures.ts';
import { enterAccount } from '../accounts/access/enter.ts';
import { handler } from '../http/contract.ts';
import { InvalidRequest } from '../http/problem/problem.ts';
import { listLogs, type ListDeps } from './list.ts';
import { streamContracts } from './stream-contracts.ts';

/** Returns the log of an account, or of the checks of one app. */
export const account = handler(streamContracts.account)(async (
  { path, query, caller, authorizeIn },
  deps: ListDeps,
) => {
  const { account_id: accountId } = path;
  const { livemode, appIds } = await enterAccount(deps, { caller, authorizeIn }, accountId);
  const appId = query.app_id ?? appOf(appIds);
  if (appId !== undefined && appIds?.includes(appId) === false) throw new Failure('not_found');
  const scope =
    appId === undefined
      ? ({ kind: 'account', accountId } as const)
      : ({ kind: 'app', accountId, appId } as const);
  return listLogs(deps, { scope, livemode }, query);
});

/**
 * Returns the app of a key limited to one app; undefined for a key without a limit.
 * @throws InvalidRequest for a key limited to several apps, because the request must name one
 */
function appOf(appIds: readonly string[] | null): string | undefined {
  if (appIds === null || appIds.length === 1) return appIds?.[0];
  const msg = 'Field required: the API key is limited to several apps';
  throw new InvalidRequest([{ loc: ['query', 'app_id'], msg, type: 'missing' }]);
}
