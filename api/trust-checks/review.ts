import { derivedId } from '../../db/ids.ts';
import { addReview, dropUndecided } from '../../db/queries/reviews.ts';
import { findTrustCheck } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import { reviewUpdate } from '../../workflows/trust-check/messages.ts';
import { callerName } from '../auth/caller.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { change, type ChangeDeps } from './change.ts';
import { trustCheckContracts } from './contract.ts';
import { mustFindSession } from './find.ts';
import { presentSession } from './present.ts';
import { sealNote } from './reviews.ts';

/**
 * Decides a check in review; nobody reviews the check they are the subject of. Who decides and why
 * is kept before the workflow is asked, and counts from the very transaction that writes the
 * decision, whoever writes it: what took effect is recorded, what did not is forgotten.
 */
export const review = handler(trustCheckContracts.review)(async (
  input,
  deps: ChangeDeps & Pick<Deps, 'sealer'>,
) => {
  const { id } = input.path;
  const session = await mustFindSession(deps, id, input.caller, input.authorize);
  if (input.caller.kind === 'session' && input.caller.polyUserId === session.poly_user_id) {
    throw new Failure('subject_may_not_review');
  }
  const { decision, note } = input.body;
  const reviewer = callerName(input.caller);
  const reviewId = derivedId('rev', input.seed);
  const noteSealed = await sealNote(deps, session, reviewId, note);
  const { now } = input.call;
  await addReview(deps.db, { reviewId, linkSessionId: id, decision, reviewer, noteSealed, now });
  const args = { decision, reviewer, review_id: reviewId };
  const refused = await change(deps, id, reviewUpdate, [args], `review/${input.seed}`).then(
    () => null,
    (error: unknown) => {
      if (error instanceof Failure && error.code === 'invalid_state') return error;
      throw error;
    },
  );
  // Of two who decide at once the second is answered, but decides nothing; one whose request is
  // repeated may be refused, and has decided.
  if (!(await dropUndecided(deps.db, reviewId))) {
    throw refused ?? new Failure('invalid_state', { detail: 'Somebody else has decided' });
  }
  const decided = await findTrustCheck(deps.db, id);
  return { status: 200, body: await presentSession(deps, decided ?? session) };
});
