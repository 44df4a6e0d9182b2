import { cancelUpdate, retryUpdate, reviewUpdate } from '../../workflows/trust-check/messages.ts';
import { derivedId } from '../../db/ids.ts';
import { addReview } from '../../db/queries/reviews.ts';
import { writeCancelReason } from '../../db/queries/trust-checks.ts';
import { accountOwner } from '../../db/sealed.ts';
import { Failure } from '../../workflows/failures.ts';
import { callerName } from '../auth/caller.ts';
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
  if (sealed) await writeCancelReason(deps.db, id, sealed);
  return { status: 200, body: await presentSession(deps, changed) };
});

/** Nobody reviews the check they are the subject of. Who decided, and why, is kept beside it. */
export const review = handler(trustCheckContracts.review)(async (input, deps: SettleDeps) => {
  const { id } = input.path;
  const session = await mustFindSession(deps, id, input.caller, input.authorize);
  if (input.caller.kind === 'session' && input.caller.polyUserId === session.poly_user_id) {
    throw new Failure('subject_may_not_review');
  }
  const { decision, note } = input.body;
  const reviewer = callerName(input.caller);
  const changed = await change(
    deps,
    id,
    reviewUpdate,
    [{ decision, reviewer }],
    `review/${input.seed}`,
  );
  const reviewId = derivedId('rev', input.seed);
  const owner = accountOwner(session.account_id);
  const noteSealed = await deps.sealer.seal(owner, `reviews|note|${reviewId}`, note);
  const { now } = input.call;
  await addReview(deps.db, { reviewId, linkSessionId: id, decision, reviewer, noteSealed, now });
  return { status: 200, body: await presentSession(deps, changed) };
});
