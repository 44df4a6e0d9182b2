import { derivedId } from '../../db/ids.ts';
import { addSample } from '../../db/queries/webhooks.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { sampleOf } from '../events/sample.ts';
import { handler } from '../http/contract.ts';
import { webhookEndpointContracts } from './contract.ts';
import { findEndpointOrThrow } from './find.ts';

/**
 * Sends one endpoint a sample event, signed and retried like every delivery. It is in no stream,
 * because followers of the log would take it for a real event.
 */
export const test = handler(webhookEndpointContracts.test)(async (
  input,
  deps: Pick<Deps, 'db'>,
) => {
  const { account_id, endpoint_id } = input.path;
  input.authorizeIn(account_id);
  const endpoint = await findEndpointOrThrow(deps.db, input.path, input);
  if (endpoint.status !== 'enabled') {
    throw new Failure('invalid_state', { detail: 'The endpoint is disabled' });
  }
  const deliveryId = derivedId('wd', input.seed);
  const sample = sampleOf(input.body.type, {
    event_id: derivedId('evt', input.seed),
    account_id,
    app_id: endpoint.app_id,
    created_at: input.call.now,
  });
  await addSample(deps.db, { deliveryId, endpointId: endpoint_id, sample, now: input.call.now });
  return { status: 201, body: { delivery_id: deliveryId, event_id: sample.event_id } };
});
