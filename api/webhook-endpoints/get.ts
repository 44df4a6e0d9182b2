import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { webhookEndpointContracts } from './contract.ts';
import { findEndpointOrThrow } from './find.ts';
import { presentEndpoint } from './present.ts';

/** Returns one endpoint, without its secret. */
export const get = handler(webhookEndpointContracts.get)(async (input, deps: Pick<Deps, 'db'>) => {
  input.authorizeIn(input.path.account_id);
  return {
    status: 200,
    body: presentEndpoint(await findEndpointOrThrow(deps.db, input.path, input)),
  };
});
