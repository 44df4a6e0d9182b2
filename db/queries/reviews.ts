import { statement, type Queryable } from '../client.ts';

const insert = statement(
  'reviews.insert',
  `INSERT INTO reviews (review_id, link_session_id, decision, reviewer, note_sealed, created_at)
   VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (review_id) DO NOTHING`,
);

export interface NewReview {
  readonly reviewId: string;
  readonly linkSessionId: string;
  readonly decision: string;
  readonly reviewer: string;
  readonly noteSealed: Buffer;
  readonly now: Date;
}

/** Keeps a reviewer's decision once for its id. */
export async function addReview(on: Queryable, row: NewReview): Promise<void> {
  const { reviewId, linkSessionId, decision, reviewer, noteSealed, now } = row;
  await insert(on, [reviewId, linkSessionId, decision, reviewer, noteSealed, now]);
}
