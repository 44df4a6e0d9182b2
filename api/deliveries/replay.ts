import { derivedId } from '../../db/ids.ts';
import { replayDelivery } from '../../db/queries/webhooks.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { findEndpointOrThrow } from '../webhook-endpoints/find.ts';
import { deliveryContracts } from './contract.ts';

/** Queues the delivery again; the relay starts its workflow. */
export const replay = handler(deliveryContracts.replay)(async (input, deps: Pick<Deps, 'db'>) => {
  const { account_id, endpoint_id, delivery_id } = input.path;
  input.authorizeIn(account_id);
  await findEndpointOrThrow(deps.db, input.path, input);
  const id = derivedId('wd', 'replay', input.seed);
  const outcome = await replayDelivery(deps.db, {
    deliveryId: delivery_id,
    endpointId: endpoint_id,
    replayId: id,
    now: input.call.now,
  });
  if (outcome === 'unknown') throw new Failure('not_found');
  if (outcome === 'unfinished') {
    throw new Failure('invalid_state', { detail: 'Only a finished delivery is replayed' });
  }
  return { status: 201, body: { delivery_id: id } };
});
