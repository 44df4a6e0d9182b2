import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { recoveryContracts } from './contract.ts';
import { close, decide, assertFourEyes, assertRecoveryState } from './decision.ts';

/** Denies an open recovery. */
export const deny = handler(recoveryContracts.deny)((input, deps: Pick<Deps, 'db' | 'ids'>) =>
  decide(deps, input, async (decision) => {
    await assertFourEyes(decision);
    assertRecoveryState(['open'], decision);
    return close(deps, decision, 'denied');
  }),
);
