import type { TrustCheckRecord } from '../../workflows/trust-check/session.ts';
import type { TrustCheckReason } from '../../workflows/trust-check/state.ts';
import { assuranceLevels, type AssuranceLevel } from '../names.ts';
import type { ProofReason } from '../proofs/reasons.ts';
import { levelOf, type Worth } from './level.ts';
import type { LinkPolicy } from './link-policy.ts';
import type { Matching } from './match.ts';
import { claimsOf, statedAt, type Proven } from './proven.ts';
import { agreementOf, type Agreement } from './same-person.ts';

/** Increases when any rule changes: the same facts and version give the same decision. */
export const policyVersion = '1';

export interface DecideInput {
  readonly snapshot: Pick<TrustCheckRecord, 'proofs' | 'device_id'>;
  readonly proven: readonly Proven[];
  readonly matching: Matching;
  readonly policy: LinkPolicy;
  readonly reviewOnUnsure: boolean;
  /** Whether another person passed a check of this account with the same document. */
  readonly isDuplicate: boolean;
  readonly now: Date;
}

/** The rules in the order of evaluation. Rules of a link's policy have the names of its members. */
export const decisionRules = [
  'failed_proof',
  'same_device',
  'same_person',
  'matching_params',
  'allowed_countries',
  'max_age_days',
  'min_level',
  'duplicates',
  'unsure_person',
  'unsure_matching',
  'unsure_proof',
] as const;
export type DecisionRule = (typeof decisionRules)[number];

export interface Ruling {
  readonly move: 'pass' | 'fail' | 'review';
  readonly reason_code: TrustCheckReason | null;
}

export interface Decision extends Ruling {
  /** The rule that decided; null if no rule applied and the check passes. */
  readonly rule: DecisionRule | null;
  /** The assurance level of the passed proofs, whatever the decision. */
  readonly level: AssuranceLevel;
  readonly policy_version: string;
}

/**
 * Decides a check after all its proofs. The first rule that fails the check wins, else the first
 * rule that requires a review. If no rule applies, the check passes.
 */
export function decide(input: DecideInput): Decision {
  const passed = input.proven.filter(({ outcome }) => outcome === 'passed');
  const common = { level: levelOf(passed), policy_version: policyVersion };
  const facts = { ...input, agreement: agreementOf(input.proven) };
  const applied = decisionRules.flatMap((rule) => {
    const ruling = rulings[rule](facts);
    return ruling ? [{ ...ruling, rule }] : [];
  });
  const ruling = applied.find(({ move }) => move === 'fail') ?? applied[0];
  return { ...(ruling ?? { move: 'pass', reason_code: null, rule: null }), ...common };
}

/** Computed once, because comparing names is slow and two rules use the result. */
interface Facts extends DecideInput {
  readonly agreement: Agreement;
}

const rulings: Readonly<Record<DecisionRule, (facts: Facts) => Ruling | null>> = {
  failed_proof: failedProof,
  same_device: sameDevice,
  same_person: ({ agreement }) =>
    agreement === 'other' ? { move: 'fail', reason_code: 'mismatch' } : null,
  matching_params: ({ matching }) =>
    Object.values(matching).includes('mismatch') ? { move: 'fail', reason_code: 'mismatch' } : null,
  allowed_countries: allowedCountries,
  max_age_days: maxAge,
  min_level: minLevel,
  duplicates,
  unsure_person: (facts) => (facts.agreement === 'unsure' ? doubtOf(facts) : null),
  unsure_matching: unsureMatching,
  unsure_proof: unsureProof,
};

/** The face belongs to another person, so a better recording does not help. */
const faceMismatch: ProofReason = 'face_mismatch';

const denied: Ruling = { move: 'fail', reason_code: 'policy_denied' };
const dayMs = 86_400_000;

function failedProof({ snapshot }: DecideInput): Ruling | null {
  const failed = snapshot.proofs.find((proof) => proof.status === 'failed');
  if (!failed) return null;
  if (failed.type === 'device') return { move: 'fail', reason_code: 'attestation_failed' };
  if (failed.reason_code === faceMismatch) return { move: 'fail', reason_code: 'mismatch' };
  const isSpent = failed.attempt >= failed.max_attempts && failed.type === 'phone';
  return { move: 'fail', reason_code: isSpent ? 'max_attempts_reached' : 'proof_failed' };
}

/** A submission of another phone proves nothing about the holder of this one. */
function sameDevice({ snapshot: { device_id: paired }, proven }: DecideInput): Ruling | null {
  const isOther = proven.some(({ deviceId }) => deviceId !== null && deviceId !== paired);
  return isOther ? { move: 'fail', reason_code: 'attestation_failed' } : null;
}

/**
 * A check without a proven issuing country is denied, unless a proof that waits for review may
 * state the country.
 */
function allowedCountries({ policy, proven, snapshot }: DecideInput): Ruling | null {
  const allowed = policy.allowed_countries ?? [];
  const { issuing_country: country } = claimsOf(proven);
  if (allowed.length === 0) return null;
  if (country === undefined && snapshot.proofs.some(isOpenDocument)) return null;
  return country !== undefined && allowed.includes(country) ? null : denied;
}

const isOpenDocument = ({ type, status }: DecideInput['snapshot']['proofs'][number]): boolean =>
  status === 'in_review' && (type === 'document' || type === 'nfc_passport');

/** Assumes that a proof in review will pass with its best possible level: the reviewer decides. */
function minLevel({ policy: { min_level: least }, proven, snapshot }: DecideInput): Ruling | null {
  if (least === undefined) return null;
  const open = snapshot.proofs.filter(({ status }) => status === 'in_review');
  const passed = proven.filter(({ outcome }) => outcome === 'passed');
  const reached = levelOf([...passed, ...open.map(({ type }) => atBest(type, proven))]);
  return assuranceLevels.indexOf(reached) < assuranceLevels.indexOf(least) ? denied : null;
}

function atBest(proof: Proven['proof'], proven: readonly Proven[]): Worth {
  const chip = proven.find((each) => each.proof === 'nfc_passport')?.evidenceHash ?? null;
  const facts = { levels: { active: 'ok' } };
  return { proof, facts, evidenceHash: chip, comparedWith: chip };
}

/**
 * A phone is as old as the last statement of its vendor. All other proofs come from the session,
 * which ends after a day.
 */
function maxAge({ policy: { max_age_days: days }, proven, now }: DecideInput): Ruling | null {
  if (days === undefined) return null;
  return proven.some((each) => now.getTime() - statedAt(each) > days * dayMs) ? denied : null;
}

function duplicates({ isDuplicate, policy }: DecideInput): Ruling | null {
  const rule = policy.duplicates ?? 'allow';
  if (!isDuplicate || rule === 'allow') return null;
  return { move: rule === 'review' ? 'review' : 'fail', reason_code: 'duplicate_subject' };
}

/**
 * An undecidable comparison is not a mismatch, neither between two proofs nor with expectations.
 */
const doubtOf = ({ reviewOnUnsure }: DecideInput): Ruling =>
  reviewOnUnsure
    ? { move: 'review', reason_code: null }
    : { move: 'fail', reason_code: 'proof_failed' };

function unsureMatching(facts: DecideInput): Ruling | null {
  return Object.values(facts.matching).includes('unsure') ? doubtOf(facts) : null;
}

/**
 * A proof that no provider could judge is not the person's fault. Another proof may be inconclusive
 * only because of it: a face without the portrait to compare with.
 */
function unsureProof({ snapshot, reviewOnUnsure }: DecideInput): Ruling | null {
  const open = snapshot.proofs.filter((proof) => proof.status === 'in_review');
  if (open.length === 0) return null;
  const isAway = open.some(({ reason_code: code }) => code === 'provider_unavailable');
  const reason = isAway ? 'provider_unavailable' : null;
  if (reviewOnUnsure || reason) return { move: 'review', reason_code: reason };
  return { move: 'fail', reason_code: 'proof_failed' };
}
