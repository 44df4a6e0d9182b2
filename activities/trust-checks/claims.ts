import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { accountOwner, type Sealer } from '../../db/sealing/sealed.ts';
import type { ClaimName } from '../../domain/names.ts';
import type { Claims, StoredClaims, ReleasedClaims } from '../../domain/proofs/claims.ts';
import { isOfAge } from '../../domain/proofs/mrz/dates.ts';

const adultYears = 18;

/** Columns of a session that are needed to open its claims. */
type ClaimedCheck = Pick<
  TrustCheckRow,
  | 'link_session_id'
  | 'account_id'
  | 'claims_sealed'
  | 'consent'
  | 'redacted_at'
  | 'created_at'
  | 'submitted_at'
  | 'status'
>;

/**
 * Returns a function that opens the sealed claims of a session. It releases only those that were
 * both requested and consented to. Empty before the decision and after redaction.
 */
export function createClaimsOpener(
  sealer: Pick<Sealer, 'open'>,
): (row: ClaimedCheck) => Promise<ReleasedClaims> {
  return async (row) => {
    if (!row.claims_sealed || row.redacted_at) return {};
    const context = `trust_checks|claims|${row.link_session_id}`;
    const opened = await sealer.open(accountOwner(row.account_id), context, row.claims_sealed);
    const { unsure, ...proven }: StoredClaims = JSON.parse(opened.toString());
    const claims = row.status === 'passed' ? { ...unsure, ...proven } : proven;
    return releaseClaims(claims, row.consent?.claims ?? [], row.submitted_at ?? row.created_at);
  };
}

/**
 * Returns the claims with these names that the proofs established. `age_over_18` is computed for
 * the day of the check. The date of birth is released only under its own name.
 */
export function releaseClaims(claims: Claims, names: readonly string[], at: Date): ReleasedClaims {
  const { date_of_birth } = claims;
  const known = {
    full_name: claims.full_name,
    age_over_18:
      date_of_birth === undefined
        ? undefined
        : isOfAge({ text: date_of_birth, complete: true }, adultYears, at),
    date_of_birth,
    place_of_birth: claims.place_of_birth,
    nationality: claims.nationality,
    region: claims.region,
    photo: claims.photo,
    document_type: claims.document_type,
    document_number: claims.document_number,
    issuing_country: claims.issuing_country,
    expires_on: claims.expires_on,
    phone_number: claims.phone_number,
  } satisfies Record<ClaimName, unknown>;
  return Object.fromEntries(
    Object.entries(known).filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}
