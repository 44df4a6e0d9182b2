import { describe, expect, it } from 'vitest';
import type { Claims } from '../../../domain/proofs/claims.ts';
import { documentOf } from '../../../domain/trust-checks/proven.ts';
import { agreementOf } from '../../../domain/trust-checks/same-person.ts';
import { anna, provenOf, type Person } from './facts.ts';

const passport = provenOf('nfc_passport', anna);
const image = (change: Partial<Person>, claims: Claims = {}) => {
  const proven = provenOf('document', { ...anna, ...change });
  return { ...proven, claims: { ...proven.claims, ...claims } };
};
const ofParts = (given_names: string, surname: string) =>
  image({ full_name: `${given_names} ${surname}` }, { surname, given_names });
const licence = { document_type: 'driving_licence' };

describe('two proofs', () => {
  it.each([
    ['the same claims', image({}), 'same'],
    ['a name in the spelling of another zone', image({ full_name: 'Anna-María Eriksson' }), 'same'],
    ['a shortened name', image({ full_name: 'ANNA ERIKSSON' }), 'same'],
    ['another name', image({ full_name: 'ANNA NILSSON' }), 'other'],
    ['two more given names', ofParts('ANNA MARIA SOFIA LENA', 'ERIKSSON'), 'unsure'],
    ['a second surname', ofParts('ANNA MARIA', 'ERIKSSON LINDBERG'), 'same'],
    ['a middle name left out', ofParts('Anna', 'Eriksson'), 'same'],
    ['only given names, divided as a name', ofParts('ANNA', 'MARIA'), 'unsure'],
    ['the same words, divided differently', ofParts('ANNA', 'MARIA ERIKSSON'), 'same'],
    ['the same words, the surname first', ofParts('ERIKSSON', 'ANNA MARIA'), 'unsure'],
    ['only parts of another name', ofParts('BO', 'NILSSON'), 'other'],
    ['a name in one part', image({ full_name: 'ANNA MARIA' }, { surname: 'ANNA MARIA' }), 'same'],
    [
      'parts of some other name',
      image({ full_name: 'ANNA MARIA' }, { surname: 'MARIA', given_names: 'BO' }),
      'same',
    ],
    ['another date of birth', image({ date_of_birth: '1974-12-08' }), 'other'],
    ['another sex', image({ sex: 'M' }), 'unsure'],
    ['an unspecified sex', image({ sex: 'X' }), 'same'],
    ['another document number', image({ number: 'b2' }), 'unsure'],
    ['another date of expiry', image({ expires_on: '2030-01-01' }), 'unsure'],
    [
      'the number and end of another document',
      image({ number: 'b2', expires_on: '2030-01-01' }, licence),
      'same',
    ],
    ['the number of another State', image({ number: 'b2' }, { issuing_country: 'DEU' }), 'same'],
    ['a possibly truncated name', image({ full_name: `ANNA MARIA ${'X'.repeat(20)}` }), 'unsure'],
    [
      'a possibly truncated name and another date of birth',
      image({ full_name: 'X'.repeat(40), date_of_birth: '1974-12-08' }),
      'other',
    ],
    ['a name too long to compare', image({ full_name: 'A'.repeat(9000) }), 'unsure'],
    ['several differences', image({ sex: 'M', full_name: 'BO NILSSON' }), 'other'],
    ['a phone', provenOf('phone', anna), 'same'],
  ] as const)('agree or differ correctly with %s', (_, other, expected) => {
    expect(agreementOf([passport, other])).toBe(expected);
    expect(agreementOf([other, passport])).toBe(expected);
    expect(agreementOf([other, provenOf('device', anna), passport])).toBe(expected);
  });

  it('with a face belong to the person that it was compared with', () => {
    const [face, other] = [provenOf('biometric', anna), { ...anna, number: 'b2' }];
    const page = provenOf('document', anna);
    const ofPage = { ...face, comparedWith: page.evidenceHash };
    const cases = [
      [[passport, face], 'same'],
      [[passport, page, face], 'same'],
      [[page, ofPage], 'same'],
      // The passport was submitted again, possibly by the same person.
      [[{ ...passport, evidenceHash: 'again' }, face], 'other'],
      [[provenOf('nfc_passport', other), face], 'other'],
      [[provenOf('document', other), ofPage], 'other'],
      // The page was compared, but never the passport beside it.
      [[passport, page, ofPage], 'other'],
      [[page, face], 'other'],
      [[face], 'other'],
      [[passport, { ...face, comparedWith: null }], 'other'],
      // No portrait was available, for example from an inconclusive passport: no contradiction.
      [[page, { ...face, outcome: 'unsure', comparedWith: null }], 'same'],
      [[passport, { ...face, outcome: 'unsure', comparedWith: null }], 'same'],
      [[page, { ...face, outcome: 'unsure' }], 'other'],
      // A preset pass of the sandbox is not compared.
      [
        [
          { ...passport, evidenceHash: null },
          { ...face, comparedWith: null },
        ],
        'same',
      ],
    ] as const;
    for (const [proven, expected] of cases) {
      expect(agreementOf(proven)).toBe(expected);
      expect(agreementOf(proven.toReversed())).toBe(expected);
    }
  });

  it('agree when there is only one, or none', () => {
    expect([agreementOf([]), agreementOf([passport])]).toEqual(['same', 'same']);
  });
});

describe('a document', () => {
  it('is identified by State, kind and number, from the chip if possible', () => {
    const other = image({ number: 'b2' }, licence);
    expect(documentOf([other, passport])).toEqual({ key: 'UTO|passport|a1', isChip: true });
    expect(documentOf([passport, other])).toEqual({ key: 'UTO|passport|a1', isChip: true });
    expect(documentOf([other])).toEqual({ key: 'UTO|driving_licence|b2', isChip: false });
    expect(documentOf([provenOf('phone', anna)])).toBeNull();
    expect(documentOf([{ ...passport, facts: {} }])).toBeNull();
  });
});
