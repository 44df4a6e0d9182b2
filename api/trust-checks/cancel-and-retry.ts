import { writeCancelReason } from '../../db/queries/trust-checks.ts';
import {
  cancelUpdate,
  retryUpdate,
  type CancelArgs,
} from '../../workflows/trust-check/messages.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import {
  change,
  changeFromStart,
  type ChangeDeps,
  assertLegalStep,
} from '../running-checks/change.ts';
import { findSessionOrThrow } from '../running-checks/find.ts';
import { trustCheckContracts } from './contract.ts';
import { presentSession } from './present.ts';
import { sealCancelReason } from './read/cancel-reason.ts';

type SettleDeps = ChangeDeps & Pick<Deps, 'sealer' | 'settings'>;

export const retry = handler(trustCheckContracts.retry)(async (input, deps: SettleDeps) => {
  const { id } = input.path;
  const session = await findSessionOrThrow(deps, id, input.caller, input.authorize);
  const updateId = `retry/${input.seed}`;
  assertLegalStep(session, updateId, { kind: 'retry' });
  const changed = await change(deps, id, retryUpdate, [{}], updateId);
  return { status: 200, body: await presentSession(deps, changed, input.caller) };
});

/**
 * Cancels a session. The text of the reason is for the account only and is not logged. The second
 * of two concurrent cancellations gets 409.
 */
export const cancel = handler(trustCheckContracts.cancel)(async (input, deps: SettleDeps) => {
  const { id } = input.path;
  const session = await findSessionOrThrow(deps, id, input.caller, input.authorize);
  const sealed = await sealCancelReason(deps, session, input.body?.reason);
  const reason = input.caller.kind === 'check-token' ? 'user_closed' : 'requester_canceled';
  const args: [CancelArgs] = [{ reason }];
  const updateId = `cancel/${input.seed}`;
  const { requestId } = input.call;
  const changed = session.awaits_start
    ? await changeFromStart(deps, session, { update: cancelUpdate, args, updateId, requestId })
    : await change(deps, id, cancelUpdate, args, updateId);
  if (sealed) await writeCancelReason(deps.db, id, sealed);
  return { status: 200, body: await presentSession(deps, changed, input.caller) };
});
