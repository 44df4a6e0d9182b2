import { removeEndpoint } from '../../db/queries/webhooks.ts';
import { Failure } from '../../workflows/failures.ts';
import { withAccountTransaction } from '../accounts/access/account-transaction.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { auditedEndpoint } from './audited.ts';
import { webhookEndpointContracts } from './contract.ts';
import { lockEndpointOrThrow } from './find.ts';

/** Removes an endpoint permanently. */
export const remove = handler(webhookEndpointContracts.remove)(async (
  input,
  deps: Pick<Deps, 'db'>,
) => {
  const { account_id, endpoint_id } = input.path;
  await withAccountTransaction(deps, input, account_id, async ({ tx, note, reaches }) => {
    const before = await lockEndpointOrThrow(tx, input.path, { reaches });
    const isRemoved = await removeEndpoint(tx, endpoint_id, input.call.now);
    if (!isRemoved) throw new Failure('not_found');
    await note('webhook_endpoint.removed', endpoint_id, { from: auditedEndpoint(before) });
  });
  return { status: 200, body: { endpoint_id, deleted: true } };
});
