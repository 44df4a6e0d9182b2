import { derivedId } from '../../../db/ids.ts';
import { addReview, dropUndecided } from '../../../db/queries/reviews.ts';
import { findTrustCheck, type TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { Failure } from '../../../workflows/failures.ts';
import { reviewUpdate } from '../../../workflows/trust-check/messages.ts';
import type { Deps } from '../../deps.ts';
import { callerName } from '../../http/auth/caller.ts';
import { handler } from '../../http/contract.ts';
import { change, type ChangeDeps, assertLegalStep } from '../../running-checks/change.ts';
import { findSessionOrThrow } from '../../running-checks/find.ts';
import { trustCheckContracts } from '../contract.ts';
import { isOf } from '../person.ts';
import { presentSession } from '../present.ts';
import { sealNote } from './reviews.ts';

type ReviewDeps = ChangeDeps & Pick<Deps, 'sealer'>;

/** Decides a check in review. The subject of a check may not review it. */
export const review = handler(trustCheckContracts.review)(async (input, deps: ReviewDeps) => {
  const { id } = input.path;
  const session = await findSessionOrThrow(deps, id, input.caller, input.authorize);
  const person = input.caller.kind === 'session' ? input.caller.polyUserId : null;
  if (await isOf(deps, session, person)) {
    throw new Failure('subject_may_not_review');
  }
  const { seed, call } = input;
  const reviewInput = { ...input.body, reviewer: callerName(input.caller), seed, now: call.now };
  const decided = await decideReview(deps, session, reviewInput);
  return { status: 200, body: await presentSession(deps, decided, input.caller) };
});

export interface ReviewInput {
  readonly decision: 'approve' | 'reject' | 'retry';
  readonly note: string;
  readonly reviewer: string;
  /** Seed of the request: a repeated request is the same review. */
  readonly seed: string;
  readonly now: Date;
}

/**
 * Decides a check in review. The reviewer and the note are stored before the workflow is updated.
 * The transaction that writes the decision makes them effective, also if a worker writes it. A
 * review without effect is deleted.
 * @throws Failure `invalid_state` if another decision was made
 */
export async function decideReview(
  deps: ReviewDeps,
  session: TrustCheckRow,
  { decision, note, reviewer, seed, now }: ReviewInput,
): Promise<TrustCheckRow> {
  const { link_session_id: id } = session;
  const reviewId = derivedId('rev', seed);
  const noteSealed = await sealNote(deps, session, reviewId, note);
  await addReview(deps.db, { reviewId, linkSessionId: id, decision, reviewer, noteSealed, now });
  const args = { decision, reviewer, review_id: reviewId };
  const decide = async (): Promise<TrustCheckRow> => {
    assertLegalStep(session, `review/${seed}`, { kind: 'review', decision });
    return change(deps, id, reviewUpdate, [args], `review/${seed}`);
  };
  const refused = await decide().then(
    () => null,
    (error: unknown) => {
      if (error instanceof Failure && error.code === 'invalid_state') return error;
      throw error;
    },
  );
  // Of two concurrent reviews, the second gets a success from the workflow but decides nothing. A
  // repeated request may be refused although its first try has decided.
  if (!(await dropUndecided(deps.db, reviewId))) {
    throw refused ?? new Failure('invalid_state', { detail: 'Another reviewer has decided' });
  }
  return (await findTrustCheck(deps.db, id)) ?? session;
}
