import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { accountOwner, type Sealer } from '../../db/sealed.ts';
import type { Claims } from './proof.ts';

export type { Claims };

/** Opens the sealed claims of a session; empty before the decision and after redaction. */
export function createClaimsOpener(sealer: Sealer): (row: TrustCheckRow) => Promise<Claims> {
  return async (row) => {
    if (!row.claims_sealed || row.redacted_at) return {};
    const context = `trust_checks|claims|${row.link_session_id}`;
    const opened = await sealer.open(accountOwner(row.account_id), context, row.claims_sealed);
    return JSON.parse(opened.toString());
  };
}
