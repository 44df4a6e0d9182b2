import { assuranceLevels, type AssuranceLevel } from '../../db/names.ts';
import type { LinkPolicy } from '../../db/schema/links.ts';
import type { TrustCheckSnapshot } from '../../workflows/trust-check/messages.ts';
import type { TrustCheckReason } from '../../workflows/trust-check/state.ts';
import type { Matching } from './match.ts';
import type { Claims } from './proof.ts';

export interface DecideInput {
  readonly snapshot: TrustCheckSnapshot;
  readonly matching: Matching;
  readonly claims: Claims;
  readonly policy: LinkPolicy;
  readonly reviewOnUnsure: boolean;
}

export interface Decision {
  readonly move: 'pass' | 'fail' | 'review';
  readonly reason_code: TrustCheckReason | null;
}

/**
 * Decides a check whose proofs are all decided. The first rule that speaks wins: a failed proof,
 * a mismatch, a refused country, something unsure; else it passes.
 */
export function decide(input: DecideInput): Decision {
  return (
    failedProof(input) ??
    mismatch(input) ??
    policy(input) ??
    unsure(input) ?? { move: 'pass', reason_code: null }
  );
}

function failedProof({ snapshot }: DecideInput): Decision | null {
  const failed = snapshot.proofs.find((proof) => proof.status === 'failed');
  if (!failed) return null;
  if (failed.type === 'device') return { move: 'fail', reason_code: 'attestation_failed' };
  const isSpent = failed.attempt >= failed.max_attempts && failed.type === 'phone';
  return { move: 'fail', reason_code: isSpent ? 'max_attempts_reached' : 'proof_failed' };
}

function mismatch({ matching }: DecideInput): Decision | null {
  const isWrong = Object.values(matching).includes('mismatch');
  return isWrong ? { move: 'fail', reason_code: 'mismatch' } : null;
}

/** A rule that cannot be held against anything is not kept: what no proof tells is refused. */
function policy({ policy: rules, claims, snapshot }: DecideInput): Decision | null {
  const denied: Decision = { move: 'fail', reason_code: 'policy_denied' };
  const allowed = rules.allowed_countries ?? [];
  const country = claims.issuing_country;
  if (allowed.length > 0 && (country === undefined || !allowed.includes(country))) return denied;
  const needed = rules.min_level ? assuranceLevels.indexOf(rules.min_level) : -1;
  return assuranceLevels.indexOf(levelOf(snapshot)) < needed ? denied : null;
}

/**
 * What a check amounts to. High needs the holder's face against the chip's; a passport's chip read
 * by an attested phone is substantial; all else is low. Every proof is made within its session, so
 * that none is older than any `max_age_days`.
 */
export function levelOf({ proofs }: TrustCheckSnapshot): AssuranceLevel {
  const passed = new Set(
    proofs.filter(({ status }) => status === 'passed').map(({ type }) => type),
  );
  if (!passed.has('nfc_passport') || !passed.has('device')) return 'low';
  return passed.has('biometric') ? 'high' : 'substantial';
}

function unsure({ snapshot, reviewOnUnsure }: DecideInput): Decision | null {
  const open = snapshot.proofs.find((proof) => proof.status === 'in_review');
  if (!open) return null;
  const reason = open.reason_code === 'provider_unavailable' ? 'provider_unavailable' : null;
  if (reviewOnUnsure || reason) return { move: 'review', reason_code: reason };
  return { move: 'fail', reason_code: 'proof_failed' };
}
