import { openInput } from '../../../activities/proofs/submission-input.ts';
import { listReviewable } from '../../../db/queries/proofs.ts';
import type { TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { reviewRequested } from '../../../workflows/proofs.ts';
import type { Deps } from '../../deps.ts';

/**
 * Returns the reviews that the person requested instead of a proof, oldest first, for the account.
 */
export async function reviewRequestsOf(deps: Pick<Deps, 'db' | 'sealer'>, session: TrustCheckRow) {
  if (!session.asked.policy.review_on_unsure) return [];
  const rows = await listReviewable(deps.db, session.link_session_id);
  const asked = await Promise.all(
    rows.map(async (row) => {
      const { review_request: request } = await openInput(deps.sealer, session, row);
      // One of the two is missing after a redaction, or if the judge was unavailable.
      const isAsked = request !== undefined || row.reason_code === reviewRequested;
      const { note = null } = Object(request) as { note?: string };
      return isAsked ? [{ proof: row.proof, note, created_at: row.created_at.toISOString() }] : [];
    }),
  );
  return asked.flat();
}
