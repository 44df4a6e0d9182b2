import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { accountOwner, type Sealer } from '../../db/sealed.ts';
import { isOfAge } from '../passport/dates.ts';
import type { Claims } from './proof.ts';

/** What is released of a person to who asked: claims by the names of the interface. */
export interface ReleasedClaims {
  full_name?: string;
  document_type?: string;
  issuing_country?: string;
  phone_number?: string;
  age_over_18?: boolean;
}

/** The claims of a check as they are sealed. */
export interface ClaimsKept extends Claims {
  /** Those of proofs that wait for a reviewer: proven only once that one has passed the check. */
  readonly unsure?: Claims;
}

const adultYears = 18;

/** What of a session its claims are opened by. */
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
 * Opens the sealed claims of a session and releases those that were asked for and consented to, and
 * nothing else. Empty before the decision and after redaction.
 */
export function createClaimsOpener(
  sealer: Pick<Sealer, 'open'>,
): (row: ClaimedCheck) => Promise<ReleasedClaims> {
  return async (row) => {
    if (!row.claims_sealed || row.redacted_at) return {};
    const context = `trust_checks|claims|${row.link_session_id}`;
    const opened = await sealer.open(accountOwner(row.account_id), context, row.claims_sealed);
    const { unsure, ...proven }: ClaimsKept = JSON.parse(opened.toString());
    const claims = row.status === 'passed' ? { ...unsure, ...proven } : proven;
    return releaseClaims(claims, row.consent?.claims ?? [], row.submitted_at ?? row.created_at);
  };
}

/**
 * The claims of these names, as far as the proofs yielded them. Of a date of birth only the answer
 * to the question is released, for the day of the check.
 */
export function releaseClaims(claims: Claims, names: readonly string[], at: Date): ReleasedClaims {
  const { full_name, document_type, issuing_country, phone_number, date_of_birth } = claims;
  const known = {
    full_name,
    document_type,
    issuing_country,
    phone_number,
    age_over_18:
      date_of_birth === undefined
        ? undefined
        : isOfAge({ text: date_of_birth, complete: true }, adultYears, at),
  };
  return Object.fromEntries(
    Object.entries(known).filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}
