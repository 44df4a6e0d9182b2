import { sandboxReview, subjectOf } from '../../activities/trust-checks/sandbox-outcomes.ts';
import { advanceUpdate } from '../../workflows/trust-check/messages.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { change, type ChangeDeps } from '../running-checks/change.ts';
import { findSessionOrThrow, assertNotEnded } from '../running-checks/find.ts';
import { presentSession } from '../trust-checks/present.ts';
import { decideReview } from '../trust-checks/review/review.ts';
import { sandboxContracts } from './contract.ts';

/**
 * Advances the time of a test session: for its deadlines, and for the review that its
 * `sandbox_subject` forces. No stored date changes: with a separate clock, a time stamp would be
 * earlier than what it attests.
 */
export const advance = handler(sandboxContracts.advance)(async (
  { body, caller, authorize, call, seed },
  deps: ChangeDeps & Pick<Deps, 'sealer'>,
) => {
  const { link_session_id: id, seconds } = body;
  const session = await findSessionOrThrow(deps, id, caller, authorize);
  assertNotEnded(session);
  const advanced = await change(deps, id, advanceUpdate, [{ seconds }], `advance/${seed}`);
  const decision = sandboxReview(subjectOf(advanced));
  if (advanced.status !== 'in_review' || !decision) {
    return { status: 200, body: await presentSession(deps, advanced, caller) };
  }
  const note = `sandbox_subject: ${advanced.sandbox_subject}`;
  const review = { decision, note, reviewer: 'sandbox', seed, now: call.now };
  const decided = await decideReview(deps, advanced, review);
  return { status: 200, body: await presentSession(deps, decided, caller) };
});
