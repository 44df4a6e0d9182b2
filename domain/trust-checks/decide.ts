import type { TrustCheckRecord } from '../../workflows/trust-check/session.ts';
import type { TrustCheckReason } from '../../workflows/trust-check/state.ts';
import { assuranceLevels, type AssuranceLevel } from '../names.ts';
import type { ProofReason } from '../proofs/reasons.ts';
import { levelOf, type Worth } from './level.ts';
import type { LinkPolicy } from './link-policy.ts';
import type { Matching } from './match.ts';
import { claimsOf, statedAt, type Proven } from './proven.ts';
import { agreementOf, type Agreement } from './same-person.ts';

/** Rises when any rule changes: the same facts under the same version give the same decision. */
export const policyVersion = '1';

export interface DecideInput {
  readonly snapshot: Pick<TrustCheckRecord, 'proofs' | 'device_id'>;
  readonly proven: readonly Proven[];
  readonly matching: Matching;
  readonly policy: LinkPolicy;
  readonly reviewOnUnsure: boolean;
  /** Whether somebody else has passed a check of this account by the same document. */
  readonly isDuplicate: boolean;
  readonly now: Date;
}

/** The rules in the order they are asked in. Those of a link's policy have its members' names. */
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
  /** The rule that spoke; null where none did and the check passes. */
  readonly rule: DecisionRule | null;
  /** What the proofs that passed amount to, however the check came out. */
  readonly level: AssuranceLevel;
  readonly policy_version: string;
}

/**
 * Decides a check whose proofs are all decided. The first rule that fails it wins, then the first
 * that has it reviewed; where none does either, it passes.
 */
export function decide(input: DecideInput): Decision {
  const passed = input.proven.filter(({ outcome }) => outcome === 'passed');
  const told = { level: levelOf(passed), policy_version: policyVersion };
  const facts = { ...input, agreement: agreementOf(input.proven) };
  const spoken = decisionRules.flatMap((rule) => {
    const ruling = rulings[rule](facts);
    return ruling ? [{ ...ruling, rule }] : [];
  });
  const ruling = spoken.find(({ move }) => move === 'fail') ?? spoken[0];
  return { ...(ruling ?? { move: 'pass', reason_code: null, rule: null }), ...told };
}

/** Names are long to compare: two rules ask how they agree. */
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

/** It is somebody else's face: no fault of how it was shown. */
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

/** What another phone has handed in says nothing of whoever holds this one. */
function sameDevice({ snapshot: { device_id: paired }, proven }: DecideInput): Ruling | null {
  const isOther = proven.some(({ deviceId }) => deviceId !== null && deviceId !== paired);
  return isOther ? { move: 'fail', reason_code: 'attestation_failed' } : null;
}

/**
 * A rule that cannot be held against anything is not kept: what no proof tells is refused, unless
 * a proof that waits for a reviewer may have told it.
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

/** What waits for a reviewer is taken for passed, and for as good as it can be: they decide. */
function minLevel({ policy: { min_level: least }, proven, snapshot }: DecideInput): Ruling | null {
  if (least === undefined) return null;
  const open = snapshot.proofs.filter(({ status }) => status === 'in_review');
  const known = proven.filter(({ outcome }) => outcome === 'passed');
  const reached = levelOf([...known, ...open.map(({ type }) => atBest(type, proven))]);
  return assuranceLevels.indexOf(reached) < assuranceLevels.indexOf(least) ? denied : null;
}

function atBest(proof: Proven['proof'], proven: readonly Proven[]): Worth {
  const chip = proven.find((each) => each.proof === 'nfc_passport')?.evidenceHash ?? null;
  const facts = { levels: { active: 'ok' } };
  return { proof, facts, evidenceHash: chip, comparedWith: chip };
}

/**
 * A phone is as old as its vendor's last word on it; all else is made within its session, which
 * ends after a day.
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

/** What cannot be told apart is no mismatch: neither of two proofs, nor of what is expected. */
const doubtOf = ({ reviewOnUnsure }: DecideInput): Ruling =>
  reviewOnUnsure
    ? { move: 'review', reason_code: null }
    : { move: 'fail', reason_code: 'proof_failed' };

function unsureMatching(facts: DecideInput): Ruling | null {
  return Object.values(facts.matching).includes('unsure') ? doubtOf(facts) : null;
}

/**
 * What nobody could judge is no fault of the person's, and another proof may be unsure for nothing
 * but its want: a face without the portrait it is held against.
 */
function unsureProof({ snapshot, reviewOnUnsure }: DecideInput): Ruling | null {
  const open = snapshot.proofs.filter((proof) => proof.status === 'in_review');
  if (open.length === 0) return null;
  const isAway = open.some(({ reason_code: code }) => code === 'provider_unavailable');
  const reason = isAway ? 'provider_unavailable' : null;
  if (reviewOnUnsure || reason) return { move: 'review', reason_code: reason };
  return { move: 'fail', reason_code: 'proof_failed' };
}
