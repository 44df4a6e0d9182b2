import { cancelUpdate, retryUpdate } from '../../workflows/trust-check/messages.ts';
import { writeCancelReason, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import { isTrustCheckFinal } from '../../workflows/trust-check/state.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { sealCancelReason } from './cancel-reason.ts';
import { change, changeFromStart, type ChangeDeps } from './change.ts';
import { trustCheckContracts } from './contract.ts';
import { mustFindSession } from './find.ts';
import { presentSession } from './present.ts';

type SettleDeps = ChangeDeps & Pick<Deps, 'sealer' | 'settings'>;

export const retry = handler(trustCheckContracts.retry)(async (input, deps: SettleDeps) => {
  const { id } = input.path;
  await mustFindSession(deps, id, input.caller, input.authorize);
  const changed = await change(deps, id, retryUpdate, [{}], `retry/${input.seed}`);
  if (isTrustCheckFinal(changed.status)) throw ended(changed);
  return { status: 200, body: await presentSession(deps, changed) };
});

/** Cancels a session. The words given as a reason are the account's to read, not the log's. */
export const cancel = handler(trustCheckContracts.cancel)(async (input, deps: SettleDeps) => {
  const { id } = input.path;
  const session = await mustFindSession(deps, id, input.caller, input.authorize);
  const sealed = await sealCancelReason(deps, session, input.body?.reason);
  const reason = input.caller.kind === 'check-token' ? 'user_closed' : 'requester_canceled';
  const updateId = `cancel/${input.seed}`;
  const { requestId } = input.call;
  const changed = session.awaits_start
    ? await changeFromStart(deps, session, {
        update: cancelUpdate,
        args: [{ reason }],
        updateId,
        requestId,
      })
    : await change(deps, id, cancelUpdate, [{ reason }], updateId);
  if (changed.status !== 'canceled') throw ended(changed);
  if (sealed) await writeCancelReason(deps.db, id, sealed);
  return { status: 200, body: await presentSession(deps, changed) };
});

/** Ended on record while its workflow did not know: the record stands. */
const ended = ({ status }: TrustCheckRow): Failure =>
  new Failure('invalid_state', { detail: `the check is ${status}` });
