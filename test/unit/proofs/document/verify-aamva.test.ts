import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MalformedAamva, readAamva } from '../../../../domain/proofs/document/aamva.ts';
import { verifyAamva } from '../../../../domain/proofs/document/verify-aamva.ts';
import { licenceText, type LicenceFields } from '../../../../simulator/document/licence.ts';

const at = new Date('2026-11-21T12:00:00Z');
const fields: LicenceFields = {
  version: 10,
  issuerNumber: '636014',
  type: 'DL',
  country: 'USA',
  surname: 'ERIKSSON',
  givenNames: 'ANNA MARIA',
  documentNumber: 'D1234567',
  dateOfBirth: '1974-08-12',
  issuedOn: '2022-04-15',
  expiresOn: '2030-08-12',
  sex: 'F',
};
const genuine = licenceText(fields);

const outcomeOf = (text: string) => {
  const { verdict, reason_code, checks } = verifyAamva(text, at);
  return [verdict, reason_code, checks.map(({ result }) => result).join(' ')];
};

describe('the barcode of a North American card', () => {
  test.each([
    ['of 2000', { version: 1 }],
    ['of 2003 with joined given names', { version: 2 }],
    ['of 2005', { version: 3 }],
    ['of 2009 with separate given names', { version: 4 }],
    ['of 2016', { version: 9 }],
    ['of 2025', { version: 12 }],
    ['of an identity card', { type: 'ID' }],
    ['of Canada with the year first', { issuerNumber: '636012', country: 'CAN' }],
    ['of Canada in 2005', { version: 3, issuerNumber: '604428', country: 'CAN' }],
  ] as const)('%s is read completely', (_, change) => {
    const given = { ...fields, ...change };
    const { verdict, facts } = verifyAamva(licenceText(given), at);
    expect({ verdict, ...facts }).toMatchObject({
      verdict: 'passed',
      version: given.version,
      document_type: given.type === 'DL' ? 'driving_licence' : 'identity_card',
      issuing_country: given.country,
      document_number: 'D1234567',
      full_name: 'ANNA MARIA ERIKSSON',
      date_of_birth: '1974-08-12',
      issued_on: '2022-04-15',
      expires_on: '2030-08-12',
      sex: 'F',
    });
  });

  test('returns the region of the address, and the place of birth if present', () => {
    const withElements = (more: string, change: Partial<LicenceFields> = {}) =>
      licenceText({ ...fields, ...change }).replace('\nDBC', `\n${more}\nDBC`);
    const said = (text: string) => {
      const { region, birthPlace } = readAamva(text);
      return [region, birthPlace];
    };
    const canada = { issuerNumber: '636012', country: 'CAN' } as const;
    expect(said(withElements('DAJCA\nDCISAN JOSE, CA'))).toEqual(['US-CA', 'SAN JOSE, CA']);
    expect(said(withElements('DAJON', canada))).toEqual(['CA-ON', null]);
    expect(said(genuine)).toEqual([null, null]);
    for (const hostile of ['DAJca', 'DAJCAL', 'DAJ<b', 'DAJNONE', 'DCINONE']) {
      expect(said(withElements(hostile))).toEqual([null, null]);
    }
    expect(() => readAamva(withElements(`DCI${'X'.repeat(34)}`))).toThrow(MalformedAamva);
  });

  const without = (name: string) => genuine.replace(new RegExp(`${name}[^\\n]*\\n`), '');
  const header = ['failed', 'malformed', 'failed skipped skipped'];
  test.each<[string, string, unknown[]]>([
    ['passes when genuine', genuine, ['passed', null, 'ok ok ok']],
    [
      'passes with wrong offsets',
      genuine.replace('DL0031', 'DL0029'),
      ['passed', null, 'ok ok ok'],
    ],
    ['fails when empty', '', header],
    ['fails without the compliance indicator', genuine.slice(1), header],
    ['fails with an unknown version', genuine.replace('63601410', '63601499'), header],
    ['fails without a card subfile', genuine.replaceAll('DL', 'ZC'), header],
    ['fails with fewer subfiles than stated', genuine.replace('100001DL', '100009DL'), header],
    ['fails without a number', without('DAQ'), header],
    ['fails without a family name', without('DCS'), header],
    [
      'passes with a surname of 40 characters',
      genuine.replace('ERIKSSON', 'E'.repeat(40)),
      ['passed', null, 'ok ok ok'],
    ],
    ['fails with a surname of 41 characters', genuine.replace('ERIKSSON', 'E'.repeat(41)), header],
    [
      'fails with a first name of 41 characters',
      genuine.replace('DACANNA', `DAC${'A'.repeat(41)}`),
      header,
    ],
    [
      'fails with a middle name of 41 characters',
      genuine.replace('DADMARIA', `DAD${'A'.repeat(41)}`),
      header,
    ],
    ['fails with a number of 26 characters', genuine.replace('D1234567', 'D'.repeat(26)), header],
    ['fails with a repeated number', genuine.replace('DCS', 'DAQD7654321\nDCS'), header],
    ['fails with a control character', genuine.replace('ANNA', 'AN\u0000A'), header],
    ['fails when it is too long', genuine.replace('ANNA', 'A'.repeat(5000)), header],
    [
      'fails with an unknown issuer',
      genuine.replace('636014', '636999'),
      ['failed', 'country_unknown', 'ok failed ok'],
    ],
    [
      'fails with an issuer of another country',
      genuine.replace('DCGUSA', 'DCGCAN'),
      ['failed', 'fields_contradict', 'ok failed ok'],
    ],
    ['fails without a date of birth', without('DBB'), ['failed', 'malformed', 'ok ok failed']],
    ['fails without a date of expiry', without('DBA'), ['failed', 'malformed', 'ok ok failed']],
    [
      'fails with the thirtieth of February',
      genuine.replace('DBA08122030', 'DBA02302030'),
      ['failed', 'malformed', 'ok ok failed'],
    ],
    [
      'fails when issued before birth',
      licenceText({ ...fields, issuedOn: '1970-01-01' }),
      ['failed', 'fields_contradict', 'ok ok failed'],
    ],
    [
      'fails when issued in the future',
      licenceText({ ...fields, issuedOn: '2026-11-22' }),
      ['failed', 'fields_contradict', 'ok ok failed'],
    ],
    [
      'passes on its last day',
      licenceText({ ...fields, expiresOn: '2026-11-21' }),
      ['passed', null, 'ok ok ok'],
    ],
    [
      'fails on the day after its last',
      licenceText({ ...fields, expiresOn: '2026-11-20' }),
      ['failed', 'document_expired', 'ok ok failed'],
    ],
  ])('%s', (_, text, expected) => {
    expect(outcomeOf(text)).toEqual(expected);
  });

  test('reports a truncated name in the facts', () => {
    const cut = verifyAamva(genuine.replace('DDEN', 'DDET'), at);
    expect([cut.facts['is_name_truncated'], cut.verdict]).toEqual([true, 'passed']);
  });

  test.each([
    ['of Canada', 'CAN', '636012'],
    ['of the United States', 'USA', '636014'],
  ] as const)('dates of a card %s that names no country are its issuer’s', (_, country, issuer) => {
    const text = licenceText({ ...fields, country, issuerNumber: issuer });
    const card = readAamva(text.replace(`DCG${country}`, 'DCG'));
    expect([card.country, card.birthDate, card.issueDate, card.expiryDate]).toEqual([
      null,
      '1974-08-12',
      '2022-04-15',
      '2030-08-12',
    ]);
  });

  test('ignores text outside the subfiles', () => {
    const { facts } = verifyAamva(`${genuine}\nDAQX9999999\n`, at);
    expect(facts['document_number']).toBe('D1234567');
  });

  test('fails only with the typed error for 20,000 mutated texts', () => {
    const pieces = fc.constantFrom('', '\n', '\r', 'DL', 'DAQ', 'DBA', '0000', '\u0000', '9', 'é');
    const change = fc.tuple(fc.nat(genuine.length), fc.nat(8), pieces);
    const mutated = fc.array(change, { minLength: 1, maxLength: 6 }).map((changes) => {
      let text = genuine;
      for (const [place, cut, piece] of changes) {
        text = text.slice(0, place) + piece + text.slice(place + cut);
      }
      return text;
    });
    fc.assert(
      fc.property(mutated, (text) => {
        try {
          readAamva(text);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedAamva);
        }
      }),
      { numRuns: 20_000 },
    );
  });
});
