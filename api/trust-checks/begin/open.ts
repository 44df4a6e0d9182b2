import { openUpdate } from '../../../workflows/trust-check/messages.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { change, type ChangeDeps } from '../../running-checks/change.ts';
import { findSessionOrThrow } from '../../running-checks/find.ts';
import { trustCheckContracts } from '../contract.ts';
import { presentToSubject } from '../present.ts';
import { holdUseOf } from './uses.ts';

/** Records that the page has loaded. Only the first call reaches the workflow. */
export const open = handler(trustCheckContracts.open)(async (
  input,
  deps: ChangeDeps & Pick<Deps, 'sealer'>,
) => {
  const { id } = input.path;
  const session = await findSessionOrThrow(deps, id, input.caller, input.authorize);
  if (session.status === 'created') await holdUseOf(deps, session, input.call.now);
  const opened =
    session.status === 'created' ? await change(deps, id, openUpdate, [{}], `open/${id}`) : session;
  return { status: 200, body: await presentToSubject(deps, opened) };
});
