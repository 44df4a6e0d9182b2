import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { recoveryContracts } from './contract.ts';
import { close, decide, assertRecoveryState } from './decision.ts';

/** Cancels a recovery, also after its approval. The ADMIN who opened it can cancel it. */
export const cancel = handler(recoveryContracts.cancel)((input, deps: Pick<Deps, 'db' | 'ids'>) =>
  decide(deps, input, async (decision) => {
    assertRecoveryState(['open', 'approved'], decision);
    return close(deps, decision, 'canceled');
  }),
);
