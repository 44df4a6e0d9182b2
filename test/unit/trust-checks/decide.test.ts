import { describe, expect, it } from 'vitest';
import {
  decide,
  decisionRules,
  policyVersion,
  type DecideInput,
} from '../../../domain/trust-checks/decide.ts';
import { anna, attested, before, five, input, judgedAt, provenOf, three } from './facts.ts';

const told = (facts: DecideInput) => {
  const { move, reason_code, rule } = decide(facts);
  return [move, reason_code, rule];
};
const away = (facts: DecideInput): DecideInput => ({
  ...facts,
  snapshot: {
    ...facts.snapshot,
    proofs: facts.snapshot.proofs.map((proof) => ({
      ...proof,
      reason_code: 'provider_unavailable',
    })),
  },
});
const otherDocument = (change: object) => ({
  proven: [provenOf('nfc_passport', anna), provenOf('document', { ...anna, ...change })],
});
const bo = { ...anna, number: 'b2' };
const aDay = { max_age_days: 1 };
const dayMs = 86_400_000;
const later = (ms: number) => ({ now: new Date(judgedAt.getTime() + ms) });
const since = (ms: number) => attested({ attested_at: before(ms) });
const high = { min_level: 'high' } as const;
const withFace = (facts: DecideInput): DecideInput => ({
  ...facts,
  snapshot: {
    ...facts.snapshot,
    proofs: facts.snapshot.proofs.map((proof) =>
      proof.type === 'biometric' ? { ...proof, reason_code: 'face_mismatch' } : proof,
    ),
  },
});
/** The face comes first, without a portrait of the inconclusive passport. */
const withoutPortrait = (facts: DecideInput): DecideInput => ({
  ...facts,
  snapshot: {
    ...facts.snapshot,
    proofs: facts.snapshot.proofs
      .map((proof) => ({
        ...proof,
        reason_code: proof.type === 'biometric' ? 'portrait_missing' : 'provider_unavailable',
      }))
      .toSorted((one, other) => one.type.localeCompare(other.type)),
  },
  proven: [
    provenOf('document', anna),
    { ...provenOf('biometric', anna), outcome: 'unsure', comparedWith: null },
  ],
});
const denied = (rule: string) => ['fail', 'policy_denied', rule];
const passes = ['pass', null, null];

/** A case that triggers each rule, and one that just does not. */
const cases: readonly (readonly [string, DecideInput, readonly unknown[]])[] = [
  ['three passed proofs', input(three), passes],
  [
    'a face that lacks its portrait because of an outage',
    withoutPortrait(
      input({ document: 'passed', biometric: 'in_review', nfc_passport: 'in_review' }),
    ),
    ['review', 'provider_unavailable', 'unsure_proof'],
  ],
  [
    'a failed phone without attempts left',
    input({ phone: 'failed' }),
    ['fail', 'max_attempts_reached', 'failed_proof'],
  ],
  [
    'a failed passport',
    input({ ...three, nfc_passport: 'failed' }),
    ['fail', 'proof_failed', 'failed_proof'],
  ],
  [
    'the face of another person',
    withFace(input({ ...three, biometric: 'failed' })),
    ['fail', 'mismatch', 'failed_proof'],
  ],
  [
    'a face that failed for another reason',
    input({ ...three, biometric: 'failed' }),
    ['fail', 'proof_failed', 'failed_proof'],
  ],
  [
    'a face compared with the passport of another person',
    input(five, {}, { proven: [provenOf('nfc_passport', anna), provenOf('biometric', bo)] }),
    ['fail', 'mismatch', 'same_person'],
  ],
  [
    'an unavailable face check when the level high is required',
    away(input({ device: 'passed', nfc_passport: 'passed', biometric: 'in_review' }, high)),
    ['review', 'provider_unavailable', 'unsure_proof'],
  ],
  ['a failed device', input({ device: 'failed' }), ['fail', 'attestation_failed', 'failed_proof']],
  [
    'a passport submitted by another phone',
    input(three, {}, { proven: [provenOf('nfc_passport', anna, 'dev_2')] }),
    ['fail', 'attestation_failed', 'same_device'],
  ],
  [
    'a passport that no phone signed',
    input(three, {}, { proven: [provenOf('nfc_passport', anna, null)] }),
    passes,
  ],
  [
    'two dates of birth',
    input(five, {}, otherDocument({ date_of_birth: '1974-08-13' })),
    ['fail', 'mismatch', 'same_person'],
  ],
  [
    'two names',
    input(five, {}, otherDocument({ full_name: 'BO ERIKSSON' })),
    ['fail', 'mismatch', 'same_person'],
  ],
  [
    'two document numbers',
    input(five, {}, otherDocument({ number: 'b2' })),
    ['fail', 'proof_failed', 'unsure_person'],
  ],
  [
    'two document numbers when inconclusive checks go to review',
    input(five, {}, { ...otherDocument({ number: 'b2' }), reviewOnUnsure: true }),
    ['review', null, 'unsure_person'],
  ],
  [
    'another name than expected',
    input(three, {}, { matching: { full_name: 'mismatch' } }),
    ['fail', 'mismatch', 'matching_params'],
  ],
  ['an unestablished name', input(three, {}, { matching: { full_name: 'not_checked' } }), passes],
  [
    'an expected name that cannot be compared',
    input(three, {}, { matching: { full_name: 'unsure' } }),
    ['fail', 'proof_failed', 'unsure_matching'],
  ],
  [
    'such a name when inconclusive checks go to review',
    input(three, {}, { matching: { full_name: 'unsure' }, reviewOnUnsure: true }),
    ['review', null, 'unsure_matching'],
  ],
  [
    'such a name with a wrong date of birth',
    input(
      three,
      {},
      { matching: { full_name: 'unsure', date_of_birth: 'mismatch' }, reviewOnUnsure: true },
    ),
    ['fail', 'mismatch', 'matching_params'],
  ],
  [
    'allowed countries when no proof establishes one',
    input({ phone: 'passed' }, { allowed_countries: ['DEU'] }),
    denied('allowed_countries'),
  ],
  [
    'a country that is not allowed',
    input(three, { allowed_countries: ['DEU'] }),
    denied('allowed_countries'),
  ],
  ['an allowed country', input(three, { allowed_countries: ['DEU', 'UTO'] }), passes],
  ['an empty list of countries', input(three, { allowed_countries: [] }), passes],
  ['a proof just older than a day', input(three, aDay, later(dayMs + 1)), denied('max_age_days')],
  ['a proof exactly a day old', input(three, aDay, later(dayMs)), passes],
  [
    'a phone enrolled just over a day ago',
    input(three, aDay, since(dayMs + 1)),
    denied('max_age_days'),
  ],
  ['a phone enrolled exactly a day ago', input(three, aDay, since(dayMs)), passes],
  [
    'an older phone with a recent verdict of its vendor',
    input(three, aDay, attested({ attested_at: before(9 * dayMs), integrity_at: before(1) })),
    passes,
  ],
  [
    'level low when substantial is required',
    input({ phone: 'passed' }, { min_level: 'substantial' }),
    denied('min_level'),
  ],
  [
    'level substantial when high is required',
    input(three, { min_level: 'high' }),
    denied('min_level'),
  ],
  ['level high when high is required', input(five, { min_level: 'high' }), passes],
  ['a duplicate when duplicates are allowed', input(three, {}, { isDuplicate: true }), passes],
  [
    'a duplicate when duplicates go to review',
    input(three, { duplicates: 'review' }, { isDuplicate: true }),
    ['review', 'duplicate_subject', 'duplicates'],
  ],
  [
    'a duplicate when duplicates are refused',
    input(three, { duplicates: 'refuse' }, { isDuplicate: true }),
    ['fail', 'duplicate_subject', 'duplicates'],
  ],
  ['no duplicate when duplicates are refused', input(three, { duplicates: 'refuse' }), passes],
  [
    'an inconclusive proof',
    input({ phone: 'in_review' }),
    ['fail', 'proof_failed', 'unsure_proof'],
  ],
  [
    'an inconclusive proof when such proofs go to review',
    input({ phone: 'in_review' }, {}, { reviewOnUnsure: true }),
    ['review', null, 'unsure_proof'],
  ],
  [
    'a proof that an outage left unjudged',
    away(input({ phone: 'in_review' })),
    ['review', 'provider_unavailable', 'unsure_proof'],
  ],
  [
    'a duplicate when the persons may differ',
    input(
      five,
      { duplicates: 'review' },
      { ...otherDocument({ number: 'b2' }), isDuplicate: true },
    ),
    ['fail', 'proof_failed', 'unsure_person'],
  ],
  [
    'a duplicate with an inconclusive proof',
    input({ ...three, phone: 'in_review' }, { duplicates: 'review' }, { isDuplicate: true }),
    ['fail', 'proof_failed', 'unsure_proof'],
  ],
  [
    'an unjudged passport when only it can establish the country',
    away(input({ device: 'passed', nfc_passport: 'in_review' }, { allowed_countries: ['DEU'] })),
    ['review', 'provider_unavailable', 'unsure_proof'],
  ],
  [
    'an unjudged phone, which cannot establish a country',
    away(input({ phone: 'in_review' }, { allowed_countries: ['DEU'] })),
    denied('allowed_countries'),
  ],
  [
    'an unjudged passport that can reach the required level',
    away(input({ device: 'passed', nfc_passport: 'in_review' }, { min_level: 'substantial' })),
    ['review', 'provider_unavailable', 'unsure_proof'],
  ],
  [
    'an unjudged passport that cannot reach the required level',
    away(input({ device: 'passed', nfc_passport: 'in_review' }, { min_level: 'high' })),
    denied('min_level'),
  ],
  [
    'an inconclusive passport of another person',
    input(
      { document: 'passed', nfc_passport: 'in_review' },
      {},
      {
        reviewOnUnsure: true,
        proven: [
          provenOf('document', anna),
          { ...provenOf('nfc_passport', { ...anna, full_name: 'BO NILSSON' }), outcome: 'unsure' },
        ],
      },
    ),
    ['fail', 'mismatch', 'same_person'],
  ],
];

describe('a decision', () => {
  it.each(cases)('has the right outcome for %s', (_, facts, expected) => {
    expect(told(facts)).toEqual(expected);
  });

  it('has a case for each of its rules', () => {
    const seen = new Set(cases.map(([, facts]) => decide(facts).rule));
    expect(decisionRules.filter((rule) => !seen.has(rule))).toEqual([]);
  });

  it('contains its rule, level and policy version', () => {
    expect(decide(input(five))).toEqual({
      move: 'pass',
      reason_code: null,
      rule: null,
      level: 'high',
      policy_version: policyVersion,
    });
  });

  it('ignores for its level a proof that waits for a reviewer', () => {
    const waiting = provenOf('nfc_passport', anna);
    const proven = [provenOf('device', anna), { ...waiting, outcome: 'unsure' as const }];
    expect(decide(input(three, {}, { proven })).level).toBe('low');
  });
});
