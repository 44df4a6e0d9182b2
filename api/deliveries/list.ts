import { countDeliveries, listDeliveries } from '../../db/queries/webhooks.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { limitAndOffset, pageOf } from '../http/fields/paging.ts';
import { findEndpointOrThrow } from '../webhook-endpoints/find.ts';
import { deliveryContracts } from './contract.ts';

/** Returns a page of an endpoint's deliveries with their attempts, newest first. */
export const list = handler(deliveryContracts.list)(async (input, deps: Pick<Deps, 'db'>) => {
  const { account_id, endpoint_id } = input.path;
  input.authorizeIn(account_id);
  await findEndpointOrThrow(deps.db, input.path, input);
  const [limit, offset] = limitAndOffset(input.query);
  const rows = await listDeliveries(deps.db, { endpoint_id, limit, offset });
  const total = await countDeliveries(deps.db, endpoint_id);
  const items = rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    // PostgreSQL writes times in JSON with its own offset.
    attempts: row.attempts.map((attempt) => ({
      ...attempt,
      at: new Date(attempt.at).toISOString(),
    })),
  }));
  return { status: 200, body: pageOf(items, total, input.query) };
});
