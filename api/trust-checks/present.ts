import { createClaimsOpener } from '../../activities/trust-checks/claims.ts';
import { sessionObject } from '../../db/queries/session-object.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { openLinkText } from '../../db/sealing/link-texts.ts';
import type { Deps } from '../deps.ts';

/** A session as the API shows it: with the claims that were asked for, opened for this caller. */
export async function presentSession(deps: Pick<Deps, 'sealer'>, row: TrustCheckRow) {
  const { photo, ...claims } = await createClaimsOpener(deps.sealer)(row);
  const isKept = photo !== undefined && row.images_removed_at === null;
  return {
    ...sessionObject(row),
    reference_id: await openLinkText(deps.sealer, row, 'reference', row.reference_sealed),
    claims: isKept ? { ...claims, photo } : claims,
  };
}
