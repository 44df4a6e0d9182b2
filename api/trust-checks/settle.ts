import { derivedId } from '../../db/ids.ts';
import { writeCancelReason, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import {
  cancelUpdate,
  retryUpdate,
  type CancelArgs,
} from '../../workflows/trust-check/messages.ts';
import { isTrustCheckFinal } from '../../workflows/trust-check/state.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { change, changeFromStart, type ChangeDeps } from './change.ts';
import { trustCheckContracts } from './contract.ts';
import { mustFindSession } from './find.ts';
import { presentSession } from './present.ts';
import { sealCancelReason } from './read/cancel-reason.ts';

type SettleDeps = ChangeDeps & Pick<Deps, 'sealer' | 'settings'>;

export const retry = handler(trustCheckContracts.retry)(async (input, deps: SettleDeps) => {
  const { id } = input.path;
  await mustFindSession(deps, id, input.caller, input.authorize);
  const changed = await change(deps, id, retryUpdate, [{}], `retry/${input.seed}`);
  if (isTrustCheckFinal(changed.status)) throw ended(changed);
  return { status: 200, body: await presentSession(deps, changed) };
});

/**
 * Cancels a session. The words given as a reason are the account's to read, not the log's. Of two
 * who cancel at once the second is answered, but has canceled nothing: they get the state's 409.
 */
export const cancel = handler(trustCheckContracts.cancel)(async (input, deps: SettleDeps) => {
  const { id } = input.path;
  const session = await mustFindSession(deps, id, input.caller, input.authorize);
  const sealed = await sealCancelReason(deps, session, input.body?.reason);
  const reason = input.caller.kind === 'check-token' ? 'user_closed' : 'requester_canceled';
  const cancelId = derivedId('cancel', input.seed);
  const args: [CancelArgs] = [{ reason, cancel_id: cancelId }];
  const isTaken = ({ log }: TrustCheckRow): boolean =>
    log.some((entry) => entry.cancel_id === cancelId);
  const updateId = `cancel/${input.seed}`;
  const { requestId } = input.call;
  const changed = session.awaits_start
    ? await changeFromStart(deps, session, {
        update: cancelUpdate,
        args,
        updateId,
        requestId,
        isTaken,
      })
    : await change(deps, id, cancelUpdate, args, updateId, isTaken);
  if (!isCanceledBy(changed, cancelId, reason)) throw ended(changed);
  if (sealed) await writeCancelReason(deps.db, id, sealed);
  return { status: 200, body: await presentSession(deps, changed) };
});

/** Whether this very request canceled it. A check begun before requests were named names none. */
function isCanceledBy({ log, ...check }: TrustCheckRow, id: string, reason: string): boolean {
  if (check.status !== 'canceled') return false;
  const named = log.findLast(({ move }) => move === 'cancel')?.cancel_id;
  return named === undefined ? check.reason_code === reason : named === id;
}

/** Ended on record while its workflow did not know: the record stands. */
const ended = ({ status }: TrustCheckRow): Failure =>
  new Failure('invalid_state', { detail: `the check is ${status}` });
