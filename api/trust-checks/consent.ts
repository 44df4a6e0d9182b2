import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import type { ChangeDeps } from '../running-checks/change.ts';
import { findSessionOrThrow } from '../running-checks/find.ts';
import { giveConsent } from '../running-checks/give-consent.ts';
import { trustCheckContracts } from './contract.ts';
import { presentToSubject } from './present.ts';

export const consent = handler(trustCheckContracts.consent)(async (
  input,
  deps: ChangeDeps & Pick<Deps, 'sealer'>,
) => {
  const session = await findSessionOrThrow(deps, input.path.id, input.caller, input.authorize);
  const changed = await giveConsent(deps, session, input.body);
  return { status: 200, body: await presentToSubject(deps, changed) };
});
