import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../domain/trust-checks/decide.ts';
import { matchClaims, type MatchingParams } from '../../../domain/trust-checks/match.ts';
import { claimsOf, type Proven } from '../../../domain/trust-checks/proven.ts';
import { proofTypes, type ProofType } from '../../../workflows/proofs.ts';
import { anna, five, input, provenOf } from './facts.ts';

const anyName = fc.constantFrom('ANNA MARIA', 'BO', 'CHIARA', 'DMITRI');
const anyPerson = fc.record({
  full_name: fc
    .tuple(anyName, fc.constantFrom('ERIKSSON', 'NILSSON'))
    .map((name) => name.join(' ')),
  date_of_birth: fc.constantFrom('1974-08-12', '1980-02-29', '2001-01-01'),
  sex: fc.constantFrom('F', 'M', 'X'),
  number: fc.constantFrom('a1', 'b2', 'c3'),
  expires_on: fc.constantFrom('2029-04-15', '2031-01-01'),
});
const bo = { ...anna, full_name: 'BO NILSSON', date_of_birth: '1980-02-29', number: 'b2' };
const anyWorth = fc.record({
  outcome: fc.constantFrom('passed' as const, 'unsure' as const),
  facts: fc.record({
    levels: fc.record({
      active: fc.constantFrom('ok', 'absent', 'failed'),
      chip: fc.constantFrom('ok', 'absent', 'failed'),
    }),
    weak_algorithms: fc.subarray(['sod: rsa-sha1', 'csca: rsa-sha1']),
  }),
});
/** Every passed proof belongs to this person. */
const identifying = ['nfc_passport', 'document', 'biometric'] as const;

describe('a passport signed with SHA-1', () => {
  it('counts as an image', () => {
    const levelOf = (weak: readonly string[]): string => {
      const proven = proofTypes.map((type) => provenOf(type, anna));
      const signed = proven.map((each) =>
        each.proof === 'nfc_passport'
          ? { ...each, facts: { ...each.facts, weak_algorithms: weak } }
          : each,
      );
      return decide(input(five, {}, { proven: signed })).level;
    };
    expect(levelOf([])).toBe('high');
    expect(levelOf(['sod: rsa-sha1'])).toBe('low');
  });
});

describe('a face', () => {
  it('raises the level only of the chip that it was compared with', () => {
    const by = [provenOf('device', anna), provenOf('nfc_passport', anna)];
    const face = provenOf('biometric', anna);
    const levelOf = (proven: readonly Proven[]): string => decide(input({}, {}, { proven })).level;
    expect(levelOf([...by, face])).toBe('high');
    expect(levelOf(by)).toBe('substantial');
    const page = { ...face, comparedWith: provenOf('document', anna).evidenceHash };
    expect(levelOf([...by, provenOf('document', anna), page])).toBe('substantial');
    const clonable = by.map((each) => ({ ...each, facts: { levels: { active: 'absent' } } }));
    expect(levelOf([...clonable, face])).toBe('substantial');
    expect(levelOf([...clonable, page])).toBe('low');
    expect(levelOf(clonable)).toBe('low');
  });
});

describe('five proofs', () => {
  it('never pass when a proof that names a person is another person’s', () => {
    fc.assert(
      fc.property(anyPerson, anyPerson, fc.constantFrom(...identifying), (one, other, swapped) => {
        const isOther = (Object.keys(one) as (keyof typeof one)[]).some(
          (field) => one[field] !== other[field] && !(field === 'sex' && isUntold(one, other)),
        );
        fc.pre(isOther);
        const proven = proofTypes.map((type) => provenOf(type, type === swapped ? other : one));
        expect(decide(input(five, {}, { proven })).move).toBe('fail');
        const reviewed = decide(input(five, {}, { proven, reviewOnUnsure: true }));
        expect(reviewed.move).not.toBe('pass');
      }),
    );
  });

  it('never pass when one was submitted by another phone', () => {
    fc.assert(
      fc.property(fc.constantFrom(...proofTypes), fc.string(), (swapped, device) => {
        fc.pre(device !== 'dev_1');
        const proven = proofTypes.map((type) =>
          provenOf(type, anna, type === swapped ? device : 'dev_1'),
        );
        expect(decide(input(five, {}, { proven })).move).toBe('fail');
      }),
    );
  });

  it('never pass when one is another person’s, for any strength and any reviewer', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...identifying),
        anyWorth,
        fc.boolean(),
        (swapped, worth, own) => {
          const proven = proofTypes.map((type) =>
            type === swapped ? { ...provenOf(type, bo), ...worth } : provenOf(type, anna),
          );
          const states = worth.outcome === 'unsure' ? { ...five, [swapped]: 'in_review' } : five;
          const expected = { full_name: own ? anna.full_name : bo.full_name };
          const matching = matchClaims(expected, claimsOf(proven));
          for (const reviewOnUnsure of [true, false]) {
            const facts = input(states, {}, { proven, matching, reviewOnUnsure });
            expect(decide(facts).move).toBe('fail');
          }
        },
      ),
    );
  });

  // A number is not bound to a name: it is compared only with an expected number.
  it('fail for a phone number only when another one is expected', () => {
    const own = proofTypes.map((type) => provenOf(type, anna));
    const phone_number = '+12025550199';
    const proven = own.map((each) =>
      each.proof === 'phone' ? { ...each, claims: { phone_number } } : each,
    );
    const moveOf = (expected: MatchingParams): string =>
      decide(input(five, {}, { proven, matching: matchClaims(expected, claimsOf(proven)) })).move;
    expect(moveOf({})).toBe('pass');
    expect(moveOf({ phone_number })).toBe('pass');
    expect(moveOf({ phone_number: '+12025550100' })).toBe('fail');
  });

  it('never have a lower level after one more proof, however weak', () => {
    const order = ['low', 'substantial', 'high'];
    const anyProof = fc.tuple(fc.constantFrom(anna, bo), anyWorth, fc.constantFrom('dev_1', 'x'));
    const anyFive = fc.tuple(anyProof, anyProof, anyProof, anyProof, anyProof);
    const some = fc.subarray([...proofTypes]);
    let raised = 0;
    fc.assert(
      fc.property(some, fc.constantFrom(...proofTypes), anyFive, (types, added, all) => {
        const level = (of: readonly ProofType[]): number => {
          const proven = proofTypes.flatMap((type, index) => {
            const [person, worth, device] = all[index] ?? [anna, {}, 'dev_1'];
            return of.includes(type) ? [{ ...provenOf(type, person, device), ...worth }] : [];
          });
          return order.indexOf(decide(input({}, {}, { proven })).level);
        };
        const [before, after] = [level(types), level([...types, added])];
        if (after > before) raised += 1;
        expect(after).toBeGreaterThanOrEqual(before);
      }),
      { numRuns: 2_000 },
    );
    expect(raised).toBeGreaterThan(0);
  });
});

const isUntold = (one: { sex: string }, other: { sex: string }): boolean =>
  one.sex === 'X' || other.sex === 'X';
