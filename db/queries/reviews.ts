import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { and, isNull } from '../schema/drizzle.ts';
import { reviews } from '../schema/reviews.ts';
import { appendAudit } from './audit.ts';

const { decided_at, review_id } = reviews;

const insert = statement(
  'reviews.insert',
  `INSERT INTO reviews (review_id, link_session_id, decision, reviewer, note_sealed, created_at)
   SELECT :reviewId, :linkSessionId, :decision, :reviewer, :noteSealed, :now WHERE EXISTS (
     SELECT 1 FROM trust_checks WHERE link_session_id = :linkSessionId AND redacted_at IS NULL)
   ON CONFLICT (review_id) DO NOTHING`,
);
const decide = statement<{ decision: string; reviewer: string }>(
  'reviews.decide',
  `UPDATE reviews SET decided_at = :at
   WHERE review_id = :reviewId AND link_session_id = :objectId AND decided_at IS NULL
   RETURNING decision, reviewer`,
);
const drop = prepare('reviews.drop', { review_id }, ({ equals }) =>
  build.delete(reviews).where(and(equals.review_id, isNull(decided_at))),
);
const find = statement('reviews.find', 'SELECT 1 FROM reviews WHERE review_id = :reviewId');
const decided = statement<ReviewRow>(
  'reviews.decided',
  `SELECT r.review_id, r.decision, r.reviewer, k.name AS reviewer_name, r.note_sealed, r.decided_at
   FROM reviews r LEFT JOIN api_keys k ON k.key_id = r.reviewer
   WHERE r.link_session_id = :linkSessionId AND r.decided_at IS NOT NULL
     ORDER BY r.decided_at, r.review_id`,
);

export interface NewReview {
  readonly reviewId: string;
  readonly linkSessionId: string;
  readonly decision: string;
  readonly reviewer: string;
  readonly noteSealed: Buffer;
  readonly now: Date;
}

/** A review that decided its check, or returned it for a retry. */
export interface ReviewRow {
  readonly review_id: string;
  readonly decision: 'approve' | 'reject' | 'retry';
  /** Id of the API key or the person. */
  readonly reviewer: string;
  /** Name of the API key; null for a person. */
  readonly reviewer_name: string | null;
  readonly note_sealed: Buffer | null;
  readonly decided_at: Date;
}

/**
 * Stores the decision of a reviewer once per id. It has no effect yet. Stores nothing for a
 * redacted check.
 */
export async function addReview(on: Queryable, row: NewReview): Promise<void> {
  const { reviewId, linkSessionId, decision, reviewer, noteSealed, now } = row;
  await insert(on, { reviewId, linkSessionId, decision, reviewer, noteSealed, now });
}

/**
 * Records that a review decided a check, in the transaction of the decision, and in the audit log
 * of the account.
 */
export async function decideReview(
  tx: Tx,
  reviewId: string,
  session: { readonly link_session_id: string; readonly account_id: number },
  at: Date,
): Promise<void> {
  const { link_session_id: objectId, account_id: accountId } = session;
  const review = firstOf(await decide(tx, { reviewId, objectId, at }));
  if (!review) return;
  const { decision, reviewer: actor } = review;
  const details = { review_id: reviewId, decision };
  await appendAudit(
    tx,
    { accountId, action: 'trust_check.reviewed', actor, objectId, details },
    at,
  );
}

/** Deletes a review unless it decided its check. Returns true if it did. */
export async function dropUndecided(on: Queryable, reviewId: string): Promise<boolean> {
  await drop(on, { review_id: reviewId });
  return (await find(on, { reviewId })).length > 0;
}

/** Returns the reviews that decided a check, in order. */
export async function listReviews(on: Queryable, linkSessionId: string): Promise<ReviewRow[]> {
  return decided(on, { linkSessionId });
}
