import { Failure } from '../../workflows/failures.ts';
import { handler } from '../http/contract.ts';
import { listLogs, type ListDeps } from './list.ts';
import { streamContracts } from './stream-contracts.ts';

/** Returns what the caller took part in, over all accounts. */
export const me = handler(streamContracts.me)(async ({ caller, query }, deps: ListDeps) => {
  if (caller.kind !== 'session') throw new Failure('session_required');
  const scope = { kind: 'everywhere', polyUserId: caller.polyUserId } as const;
  return listLogs(deps, { scope, livemode: null }, query);
});
