import { advanceUpdate } from '../../workflows/trust-check/messages.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { change, type ChangeDeps } from '../trust-checks/change.ts';
import { mustFindSession, mustRun } from '../trust-checks/find.ts';
import { presentSession } from '../trust-checks/present.ts';
import { sandboxContracts } from './contract.ts';
import { mustBeTest } from './test-mode.ts';

/** Lets the time of a test session pass, for its deadlines. */
export const advance = handler(sandboxContracts.advance)(async (
  { body, caller, authorize, seed },
  deps: ChangeDeps & Pick<Deps, 'sealer'>,
) => {
  const { link_session_id: id, seconds } = body;
  const session = await mustFindSession(deps, id, caller, authorize);
  mustBeTest(caller, session);
  mustRun(session);
  const advanced = await change(deps, id, advanceUpdate, [{ seconds }], `advance/${seed}`);
  return { status: 200, body: await presentSession(deps, advanced) };
});
