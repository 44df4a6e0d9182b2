import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { SandboxSubject } from '../../domain/names.ts';
import type { Claims } from '../../domain/proofs/claims.ts';
import type { ProofReason } from '../../domain/proofs/reasons.ts';
import type { Verdict } from '../../domain/proofs/verdict.ts';
import { decide, type DecideInput, type Decision } from '../../domain/trust-checks/decide.ts';
import type { Matching, MatchingParams } from '../../domain/trust-checks/match.ts';
import type { ProofType } from '../../workflows/proofs.ts';
import type { ProofJudge, ProofResult } from '../proofs/judge.ts';

/** Provider of forced verdicts. */
const provider = 'sandbox';

interface FailedProof {
  readonly proof: ProofType;
  /** As the judge of that proof would report it. */
  readonly reason_code: ProofReason;
  readonly retryable: boolean;
}

/** Proofs that a subject fails, with the results of their judges. Other subjects fail none. */
const failedProofs: Readonly<Partial<Record<SandboxSubject, readonly FailedProof[]>>> = {
  face_mismatch: [{ proof: 'biometric', reason_code: 'face_mismatch', retryable: false }],
  document_expired: [
    { proof: 'nfc_passport', reason_code: 'document_expired', retryable: false },
    { proof: 'document', reason_code: 'document_expired', retryable: false },
  ],
  document_unreadable: [
    { proof: 'nfc_passport', reason_code: 'malformed', retryable: true },
    { proof: 'document', reason_code: 'unreadable', retryable: true },
  ],
  nfc_clone: [{ proof: 'nfc_passport', reason_code: 'aa_signature_invalid', retryable: false }],
  wrong_code: [{ proof: 'phone', reason_code: 'code_wrong', retryable: true }],
  emulator: [{ proof: 'device', reason_code: 'software_key', retryable: false }],
};

/** The specimen of ICAO 9303 part 4, of a fictitious state, and an unassigned phone number. */
const specimen = {
  full_name: 'ANNA MARIA ERIKSSON',
  date_of_birth: '1974-08-12',
  place_of_birth: 'ZENITH',
  region: 'UT-ZE',
  nationality: 'UTO',
  sex: 'F',
  document_type: 'passport',
  document_number: 'L898902C3',
  issuing_country: 'UTO',
  expires_on: '2099-12-31',
} as const satisfies Claims;
const specimenNumber = '+12025550100';

/**
 * Returns the proofs that this subject fails. A check must request one of them; empty for any
 * check.
 */
export const proofsFailedBy = (subject: SandboxSubject): ProofType[] =>
  (failedProofs[subject] ?? []).map(({ proof }) => proof);

/** Returns the forced outcome of a test check, or null for any other check. */
export const subjectOf = (check: Pick<TrustCheckRow, 'livemode' | 'sandbox_subject'>) =>
  check.livemode ? null : check.sandbox_subject;

/** Returns the forced review decision of this subject, or null if it has none. */
export function sandboxReview(subject: SandboxSubject | null): 'approve' | 'reject' | null {
  if (subject === 'review_then_pass') return 'approve';
  return subject === 'review_then_fail' ? 'reject' : null;
}

/**
 * Returns a judge that ignores the input and returns the result of a test check's subject (domain
 * §5). Its verdict names the subject, so that it cannot be mistaken for one on evidence.
 * @param expected what the link expects; a person who is to pass matches it
 */
export function createSandboxJudge(
  subject: SandboxSubject,
  proof: ProofType,
  expected: MatchingParams,
): ProofJudge {
  return { judge: async () => forceProof(subject, proof, expected) };
}

function forceProof(
  subject: SandboxSubject,
  proof: ProofType,
  expected: MatchingParams,
): ProofResult {
  // A person who abandoned the check submits nothing.
  if (subject === 'abandon') return rejected(subject, 'evidence_missing', true);
  const failed = failedProofs[subject]?.find((each) => each.proof === proof);
  if (failed) return rejected(subject, failed.reason_code, failed.retryable);
  const judged = { retryable: false, provider };
  if (sandboxReview(subject)) {
    const reason_code = proof === 'nfc_passport' ? 'revocation_unknown' : null;
    const verdict = verdictOf(subject, 'inconclusive', reason_code);
    return { ...judged, outcome: 'unsure', reason_code, verdict };
  }
  const claims = claimsOf(proof, subject === 'mismatch' ? {} : expected);
  const verdict = verdictOf(subject, 'passed', null);
  return { ...judged, outcome: 'passed', reason_code: null, claims, verdict };
}

function rejected(
  subject: SandboxSubject,
  reason_code: ProofReason | null,
  retryable: boolean,
): ProofResult {
  const verdict = verdictOf(subject, 'failed', reason_code);
  return { outcome: 'rejected', reason_code, retryable, provider, verdict };
}

const results = { passed: 'ok', failed: 'failed', inconclusive: 'skipped' } as const;

function verdictOf(
  subject: SandboxSubject,
  verdict: Verdict['verdict'],
  reason_code: ProofReason | null,
): Verdict {
  const checks = [{ name: 'sandbox_subject', result: results[verdict], detail: subject }];
  return {
    format: 'trustcheck-verdict/1',
    kind: 'sandbox',
    verdict,
    reason_code,
    checks,
    facts: {},
  };
}

function claimsOf(proof: ProofType, expected: MatchingParams): Claims {
  if (proof === 'phone') return { phone_number: expected.phone_number ?? specimenNumber };
  if (proof !== 'nfc_passport' && proof !== 'document') return {};
  const { phone_number: _phone, email: _email, custom: _custom, ...documented } = expected;
  return { ...specimen, ...documented };
}

/** For subject `mismatch`, turns every match into a mismatch. */
export function applySandboxMatching(subject: SandboxSubject | null, matching: Matching): Matching {
  if (subject !== 'mismatch') return matching;
  const turned = Object.entries(matching).map(
    ([name, result]) => [name, result === 'match' ? 'mismatch' : result] as const,
  );
  return Object.fromEntries(turned);
}

/**
 * Decides a test check by the usual rules, except the policy of its link, which is about evidence.
 * Subject `mismatch` fails even if the link expects nothing.
 */
export function sandboxDecision(subject: SandboxSubject, input: DecideInput): Decision {
  const decision = decide({ ...input, policy: {}, reviewOnUnsure: true });
  const isMismatch = subject === 'mismatch' && decision.move === 'pass';
  if (!isMismatch) return decision;
  return { ...decision, move: 'fail', reason_code: 'mismatch', rule: 'matching_params' };
}
