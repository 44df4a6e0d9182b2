import { listRoutingAddresses } from '../../db/queries/calendar-connections.ts';
import { hasRole } from '../../domain/names.ts';
import { enterAccount } from '../accounts/access/enter.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { limitAndOffset, pageOf } from '../http/fields/paging.ts';
import { calendarContracts } from './contract.ts';
import { presentRoutingAddress } from './present.ts';
import { calendarProviderOrThrow } from './provider.ts';

/**
 * Returns the routing addresses of an account. Only a POLYADMIN sees shared ones.
 */
export const routingAddresses = handler(calendarContracts.routingAddresses)(async (
  input,
  deps: Pick<Deps, 'db' | 'outside' | 'sealer'>,
) => {
  const { query, caller } = input;
  await enterAccount(deps, input, query.account_id);
  calendarProviderOrThrow(deps);
  const hasShared = hasRole(caller.roles, 'POLYADMIN');
  const place = limitAndOffset(query);
  const { rows, total } = await listRoutingAddresses(deps.db, query.account_id, hasShared, place);
  const items = await Promise.all(rows.map((row) => presentRoutingAddress(deps, row)));
  return { status: 200, body: pageOf(items, total, query) };
});
