import { createClaimsOpener } from '../../activities/trust-checks/claims.ts';
import { sessionObject } from '../../db/queries/session-object.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { openLinkText } from '../../db/sealing/link-texts.ts';
import type { Deps } from '../deps.ts';
import type { Caller } from '../http/auth/caller.ts';
import { isReasonWithheld, seenBySubject } from '../running-checks/subject-view.ts';

/** Returns a session as the API shows it to this kind of caller. */
export async function presentSession(
  deps: Pick<Deps, 'sealer'>,
  row: TrustCheckRow,
  { kind }: Pick<Caller, 'kind'>,
) {
  return kind === 'check-token' ? presentToSubject(deps, row) : presentUnredacted(deps, row);
}

/** Returns a session as its subject may see it, whatever credential their client uses. */
export async function presentToSubject(deps: Pick<Deps, 'sealer'>, row: TrustCheckRow) {
  const seen = seenBySubject(await presentUnredacted(deps, row));
  // Claims come from passed proofs, so they would reveal which proof failed.
  return isReasonWithheld(row) ? { ...seen, claims: {} } : seen;
}

/** Returns a session with its requested claims opened. */
async function presentUnredacted(deps: Pick<Deps, 'sealer'>, row: TrustCheckRow) {
  const { photo, ...claims } = await createClaimsOpener(deps.sealer)(row);
  const isKept = photo !== undefined && row.images_removed_at === null;
  return {
    ...sessionObject(row),
    reference_id: await openLinkText(deps.sealer, row, 'reference', row.reference_sealed),
    claims: isKept ? { ...claims, photo } : claims,
  };
}
