import { captureOfProof } from '../../domain/trust-checks/capture.ts';
import type { TrustCheckRow } from './trust-checks.ts';

/** Returns the proofs of a session in API form, each with its capture. */
export const shownProofsOf = (row: TrustCheckRow) =>
  row.proofs.map((proof) => ({ ...proof, capture: captureOfProof(row, proof) }));

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

/**
 * Returns a trust-check session as the event log stores it. It has no claims, because
 * events carry no personal data. Its reference stays sealed; `eventObject` and `presentSession`
 * open it.
 */
export function sessionObject(row: TrustCheckRow) {
  return {
    link_session_id: row.link_session_id,
    link_uuid: row.link_uuid,
    app_id: row.app_id,
    account_id: row.account_id,
    poly_user_id: row.poly_user_id,
    reference_id: null,
    status: row.status,
    reason_code: row.reason_code,
    outcome_validity: row.outcome_validity,
    redaction_status: row.redacted_at ? ('redacted' as const) : ('none' as const),
    proofs: shownProofsOf(row),
    matching: row.matching,
    decision: row.decision,
    subject_reasons: row.subject_reasons,
    consent: row.consent,
    affidavit: {
      status: row.affidavit_status,
      reason_code: row.affidavit_reason,
      affidavit_id: row.affidavit_id,
      sha256: row.affidavit_sha256,
      available_at: iso(row.affidavit_available_at),
    },
    created_at: row.created_at.toISOString(),
    opened_at: iso(row.opened_at),
    paired_at: iso(row.paired_at),
    submitted_at: iso(row.submitted_at),
    decided_at: iso(row.decided_at),
    sequence: row.version,
    sandbox: !row.livemode,
    sandbox_subject: row.sandbox_subject,
  };
}
