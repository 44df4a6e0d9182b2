import { listEndpoints } from '../../db/queries/webhooks.ts';
import { enterAccount } from '../accounts/access/enter.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { pageOf } from '../http/fields/paging.ts';
import { webhookEndpointContracts } from './contract.ts';
import { presentEndpoint } from './present.ts';

/** Returns a page of an account's endpoints, oldest first. */
export const list = handler(webhookEndpointContracts.list)(async (
  input,
  deps: Pick<Deps, 'db'>,
) => {
  const { livemode } = await enterAccount(deps, input, input.path.account_id);
  const all = await listEndpoints(deps.db, input.path.account_id, livemode);
  const rows = all.filter(input.reaches);
  const { page, page_size } = input.query;
  const items = rows.slice((page - 1) * page_size, page * page_size).map(presentEndpoint);
  return { status: 200, body: pageOf(items, rows.length, input.query) };
});
