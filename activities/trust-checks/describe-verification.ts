import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { isProven, type ProofType } from '../../workflows/proofs.ts';
import type { VerifiedClaims } from '../tokens/claims-token.ts';
import type { ReleasedClaims } from '../../domain/proofs/claims.ts';

/** Name of the platform's rules in claims and affidavits. */
export const trustFramework = 'urn:trustcheck:policy:default';

/**
 * How each proof was checked, in the predefined values of OpenID Identity Assurance: `bvr`
 * biometric, remote; `vri` validated from images; `vcrypt` by the document's own cryptography.
 */
const documentChecks: Readonly<Partial<Record<ProofType, { method: string; assurance: string }>>> =
  {
    biometric: { method: 'bvr', assurance: 'verification' },
    document: { method: 'vri', assurance: 'evidence_validation' },
    nfc_passport: { method: 'vcrypt', assurance: 'evidence_validation' },
  };

type PassedCheck = Pick<
  TrustCheckRow,
  'link_session_id' | 'proofs' | 'decided_at' | 'outcome_validity' | 'redacted_at' | 'status'
>;

/**
 * Describes what a passed check proved, as `verified_claims` (OpenID Identity Assurance Schema
 * Definition 1.0, §5). The phone number is separate from the document's claims, since a code raises
 * no other assurance. Empty for a check that has not passed, or that was revoked or redacted.
 * @param released claims that were requested and consented to; no others appear in claims or
 *   evidence
 */
export function describeVerification(
  check: PassedCheck,
  released: ReleasedClaims,
): VerifiedClaims[] {
  const { status, outcome_validity: validity, redacted_at: redactedAt, decided_at: at } = check;
  if (status !== 'passed' || validity !== 'valid' || redactedAt || !at) return [];
  const { phone_number, full_name, age_over_18, document_type, issuing_country } = released;
  const { date_of_birth, place_of_birth, nationality, region } = released;
  const verification = {
    trust_framework: trustFramework,
    time: at.toISOString(),
    verification_process: check.link_session_id,
  };
  const documented = withoutAbsent({
    name: full_name,
    age_over_18,
    birthdate: date_of_birth,
    place_of_birth: place_of_birth && { locality: place_of_birth },
    nationalities: nationality && [nationality],
    address: region && { region },
    document_type,
    document_number: released.document_number,
    issuing_country,
    expires_on: released.expires_on,
  });
  const groups = [
    { verification: { ...verification, ...evidenceOf(check, released) }, claims: documented },
    { verification, claims: withoutAbsent({ phone_number }) },
  ];
  return groups.filter(({ claims }) => Object.keys(claims).length > 0);
}

function evidenceOf(check: PassedCheck, released: ReleasedClaims) {
  const { document_type, document_number, issuing_country, expires_on } = released;
  const passed = check.proofs.flatMap((proof) => {
    const { type } = proof;
    const how = isProven(proof) ? documentChecks[type] : undefined;
    return how ? [{ ...how, check_id: `${check.link_session_id}/${type}` }] : [];
  });
  const details = withoutAbsent({
    type: document_type,
    document_number,
    date_of_expiry: expires_on,
    issuer: issuing_country === undefined ? undefined : { country: issuing_country },
  });
  const hasDetails = Object.keys(details).length > 0;
  return {
    assurance_process: {
      policy: trustFramework,
      assurance_details: passed.map(({ assurance, check_id }) => ({
        assurance_type: assurance,
        assurance_classification: 'passed',
        evidence_ref: [{ check_id }],
      })),
    },
    evidence: passed.map(({ method, check_id }) => ({
      type: 'document',
      check_details: [{ check_method: method, check_id }],
      ...(hasDetails ? { document_details: details } : {}),
    })),
  };
}

function withoutAbsent(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
