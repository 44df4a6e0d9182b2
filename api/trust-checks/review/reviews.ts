import { listReviews, type ReviewRow } from '../../../db/queries/reviews.ts';
import type { TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { accountOwner } from '../../../db/sealing/sealed.ts';
import type { Deps } from '../../deps.ts';

const contextOf = (reviewId: string): string => `reviews|note|${reviewId}`;

/** Returns the reviews that decided a check, for its account. A redaction removes their notes. */
export async function reviewsOf(deps: Pick<Deps, 'db' | 'sealer'>, session: TrustCheckRow) {
  const rows = await listReviews(deps.db, session.link_session_id);
  return Promise.all(
    rows.map(async (row) => ({
      reviewer: row.reviewer,
      reviewer_name: row.reviewer_name,
      decision: row.decision,
      note: await openNote(deps, session, row),
      decided_at: row.decided_at.toISOString(),
    })),
  );
}

/** Seals the note of a review. The workflow does not receive it. */
export async function sealNote(
  { sealer }: Pick<Deps, 'sealer'>,
  { account_id }: TrustCheckRow,
  reviewId: string,
  note: string,
): Promise<Buffer> {
  return sealer.seal(accountOwner(account_id), contextOf(reviewId), note);
}

async function openNote(
  { sealer }: Pick<Deps, 'sealer'>,
  { account_id }: TrustCheckRow,
  { review_id, note_sealed }: ReviewRow,
): Promise<string | null> {
  if (!note_sealed) return null;
  const opened = await sealer.open(accountOwner(account_id), contextOf(review_id), note_sealed);
  return opened.toString();
}
