import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../activities/trust-checks/decide.ts';
import type { Proven } from '../../../activities/trust-checks/proven.ts';
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
/** Whatever passes, passes as this person's. */
const identifying = ['nfc_passport', 'document', 'biometric'] as const;

describe('a passport signed with SHA-1', () => {
  it('is worth no more than an image, where it is taken at all', () => {
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
  it('raises the chip it was held against, and no other', () => {
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
  it('never pass once one that names a person is somebody else’s', () => {
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

  it('never pass once one was handed in by another phone', () => {
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

  it('never are worth less for one more', () => {
    const order = ['low', 'substantial', 'high'];
    const some = fc.subarray([...proofTypes]);
    const chip = fc.constantFrom('ok', 'absent', 'failed');
    fc.assert(
      fc.property(some, fc.constantFrom(...proofTypes), chip, (types, added, active) => {
        const withChip = (type: ProofType): Proven => ({
          ...provenOf(type, anna),
          facts: { levels: { active, chip: 'absent' } },
        });
        const level = (of: readonly ProofType[]): number =>
          order.indexOf(decide(input({}, {}, { proven: of.map(withChip) })).level);
        expect(level([...new Set([...types, added])])).toBeGreaterThanOrEqual(level(types));
      }),
    );
  });
});

const isUntold = (one: { sex: string }, other: { sex: string }): boolean =>
  one.sex === 'X' || other.sex === 'X';
