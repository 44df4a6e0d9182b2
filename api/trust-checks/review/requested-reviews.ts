import { openInput } from '../../../activities/proofs/evidence/submission-input.ts';
import { listReviewRequests } from '../../../db/queries/proofs.ts';
import type { TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import type { Deps } from '../../deps.ts';

/** What the person asked to be reviewed instead of judged, oldest first, for the account. */
export async function requestedReviewsOf(
  deps: Pick<Deps, 'db' | 'sealer'>,
  session: TrustCheckRow,
) {
  if (!session.asked.policy.review_on_unsure) return [];
  const rows = await listReviewRequests(deps.db, session.link_session_id);
  return Promise.all(
    rows.map(async (row) => {
      const { review_request: request } = await openInput(deps.sealer, session, row);
      const { note = null } = Object(request) as { note?: string };
      return { proof: row.proof, note, created_at: row.created_at.toISOString() };
    }),
  );
}
