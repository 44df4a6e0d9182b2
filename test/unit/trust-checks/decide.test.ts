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
  ['three proofs', input(three), passes],
  [
    'a face without the portrait that an outage keeps back',
    withoutPortrait(
      input({ document: 'passed', biometric: 'in_review', nfc_passport: 'in_review' }),
    ),
    ['review', 'provider_unavailable', 'unsure_proof'],
  ],
  [
    'a failed phone, all tries used',
    input({ phone: 'failed' }),
    ['fail', 'max_attempts_reached', 'failed_proof'],
  ],
  [
    'a failed passport',
    input({ ...three, nfc_passport: 'failed' }),
    ['fail', 'proof_failed', 'failed_proof'],
  ],
  [
    'the face of somebody else',
    withFace(input({ ...three, biometric: 'failed' })),
    ['fail', 'mismatch', 'failed_proof'],
  ],
  [
    'a face that could not be told',
    input({ ...three, biometric: 'failed' }),
    ['fail', 'proof_failed', 'failed_proof'],
  ],
  [
    'a face that was held against another’s passport',
    input(five, {}, { proven: [provenOf('nfc_passport', anna), provenOf('biometric', bo)] }),
    ['fail', 'mismatch', 'same_person'],
  ],
  [
    'a face that waits, where high is needed',
    away(input({ device: 'passed', nfc_passport: 'passed', biometric: 'in_review' }, high)),
    ['review', 'provider_unavailable', 'unsure_proof'],
  ],
  ['a failed device', input({ device: 'failed' }), ['fail', 'attestation_failed', 'failed_proof']],
  [
    'another phone’s passport',
    input(three, {}, { proven: [provenOf('nfc_passport', anna, 'dev_2')] }),
    ['fail', 'attestation_failed', 'same_device'],
  ],
  [
    'what no phone has signed',
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
    'two numbers of a passport',
    input(five, {}, otherDocument({ number: 'b2' })),
    ['fail', 'proof_failed', 'unsure_person'],
  ],
  [
    'the same, where unsure is reviewed',
    input(five, {}, { ...otherDocument({ number: 'b2' }), reviewOnUnsure: true }),
    ['review', null, 'unsure_person'],
  ],
  [
    'a name that is not the expected one',
    input(three, {}, { matching: { full_name: 'mismatch' } }),
    ['fail', 'mismatch', 'matching_params'],
  ],
  ['one that no proof tells', input(three, {}, { matching: { full_name: 'not_checked' } }), passes],
  [
    'one that could not be compared',
    input(three, {}, { matching: { full_name: 'unsure' } }),
    ['fail', 'proof_failed', 'unsure_matching'],
  ],
  [
    'the same, where unsure is to be reviewed',
    input(three, {}, { matching: { full_name: 'unsure' }, reviewOnUnsure: true }),
    ['review', null, 'unsure_matching'],
  ],
  [
    'one that could not be compared, beside a wrong date',
    input(
      three,
      {},
      { matching: { full_name: 'unsure', date_of_birth: 'mismatch' }, reviewOnUnsure: true },
    ),
    ['fail', 'mismatch', 'matching_params'],
  ],
  [
    'a country where one is asked for and none told',
    input({ phone: 'passed' }, { allowed_countries: ['DEU'] }),
    denied('allowed_countries'),
  ],
  ['another country', input(three, { allowed_countries: ['DEU'] }), denied('allowed_countries')],
  ['the country', input(three, { allowed_countries: ['DEU', 'UTO'] }), passes],
  ['no country in particular', input(three, { allowed_countries: [] }), passes],
  ['a proof of a day and a moment', input(three, aDay, later(dayMs + 1)), denied('max_age_days')],
  ['a proof of a day', input(three, aDay, later(dayMs)), passes],
  ['a phone of a day and a moment', input(three, aDay, since(dayMs + 1)), denied('max_age_days')],
  ['a phone that was enrolled a day ago', input(three, aDay, since(dayMs)), passes],
  [
    'an older one that its vendor has spoken of since',
    input(three, aDay, attested({ attested_at: before(9 * dayMs), integrity_at: before(1) })),
    passes,
  ],
  [
    'low, where substantial is needed',
    input({ phone: 'passed' }, { min_level: 'substantial' }),
    denied('min_level'),
  ],
  ['substantial, where high is needed', input(three, { min_level: 'high' }), denied('min_level')],
  ['high, where high is needed', input(five, { min_level: 'high' }), passes],
  ['a duplicate', input(three, {}, { isDuplicate: true }), passes],
  [
    'a duplicate to review',
    input(three, { duplicates: 'review' }, { isDuplicate: true }),
    ['review', 'duplicate_subject', 'duplicates'],
  ],
  [
    'a duplicate to refuse',
    input(three, { duplicates: 'refuse' }, { isDuplicate: true }),
    ['fail', 'duplicate_subject', 'duplicates'],
  ],
  ['no duplicate', input(three, { duplicates: 'refuse' }), passes],
  ['an unsure proof', input({ phone: 'in_review' }), ['fail', 'proof_failed', 'unsure_proof']],
  [
    'an unsure proof to review',
    input({ phone: 'in_review' }, {}, { reviewOnUnsure: true }),
    ['review', null, 'unsure_proof'],
  ],
  [
    'a proof nobody could judge',
    away(input({ phone: 'in_review' })),
    ['review', 'provider_unavailable', 'unsure_proof'],
  ],
  [
    'a duplicate to review, of an unsure person',
    input(
      five,
      { duplicates: 'review' },
      { ...otherDocument({ number: 'b2' }), isDuplicate: true },
    ),
    ['fail', 'proof_failed', 'unsure_person'],
  ],
  [
    'a duplicate to review, with an unsure proof',
    input({ ...three, phone: 'in_review' }, { duplicates: 'review' }, { isDuplicate: true }),
    ['fail', 'proof_failed', 'unsure_proof'],
  ],
  [
    'a passport that waits, where a country is asked for and none told',
    away(input({ device: 'passed', nfc_passport: 'in_review' }, { allowed_countries: ['DEU'] })),
    ['review', 'provider_unavailable', 'unsure_proof'],
  ],
  [
    'a phone that waits, where a country is asked for and none told',
    away(input({ phone: 'in_review' }, { allowed_countries: ['DEU'] })),
    denied('allowed_countries'),
  ],
  [
    'a passport that waits, where substantial is needed',
    away(input({ device: 'passed', nfc_passport: 'in_review' }, { min_level: 'substantial' })),
    ['review', 'provider_unavailable', 'unsure_proof'],
  ],
  [
    'a passport that waits, where it could not suffice',
    away(input({ device: 'passed', nfc_passport: 'in_review' }, { min_level: 'high' })),
    denied('min_level'),
  ],
  [
    'an unsure passport of somebody else',
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
  it.each(cases)('over %s', (_, facts, expected) => {
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
