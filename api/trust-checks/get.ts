import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { trustCheckContracts } from './contract.ts';
import { mustFindSession } from './find.ts';
import { presentSession } from './present.ts';

export const get = handler(trustCheckContracts.get)(async (
  input,
  deps: Pick<Deps, 'db' | 'sealer'>,
) => {
  const session = await mustFindSession(deps, input.path.id, input.caller, input.authorize);
  return { status: 200, body: await presentSession(deps, session) };
});
