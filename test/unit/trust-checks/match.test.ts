import { expect, it } from 'vitest';
import { matchClaims, reportedMatching } from '../../../domain/trust-checks/match.ts';

const expected = {
  full_name: 'Jürgen Müller',
  date_of_birth: '1974-08-12',
  phone_number: '+4915112345678',
  issuing_country: 'deu',
  email: 'a@example.test',
  custom: { department: 'X' },
};

it('a field that no proof establishes is not_checked', () => {
  const phoneAlone = matchClaims(expected, { phone_number: expected.phone_number });
  expect(phoneAlone).toEqual({
    full_name: 'not_checked',
    date_of_birth: 'not_checked',
    phone_number: 'match',
    issuing_country: 'not_checked',
    email: 'not_checked',
    department: 'not_checked',
  });
});

it('matching reports agreement and difference for the expected fields only', () => {
  const claims = {
    full_name: 'JUERGEN MUELLER',
    date_of_birth: '1974-08-13',
    issuing_country: 'DEU',
    phone_number: '+4915112345679',
  };
  const { email: _email, custom: _custom, ...known } = expected;
  expect(matchClaims(known, claims)).toEqual({
    full_name: 'match',
    date_of_birth: 'mismatch',
    phone_number: 'mismatch',
    issuing_country: 'match',
  });
  expect(matchClaims({}, claims)).toEqual({});
});

it('matching compares the fields of the document and of its holder', () => {
  const claims = {
    document_number: 'L898902C3',
    expires_on: '2032-04-15',
    nationality: 'DEU',
    place_of_birth: 'MUENCHEN',
    region: 'US-CA',
  };
  const asked = {
    document_number: 'l 8989-02c3',
    expires_on: '2032-04-15',
    nationality: 'DEU',
    place_of_birth: 'München',
    region: 'US-CA',
  };
  const all = <T>(value: T) => Object.fromEntries(Object.keys(asked).map((name) => [name, value]));
  expect(matchClaims(asked, claims)).toEqual(all('match'));
  expect(matchClaims(asked, {})).toEqual(all('not_checked'));
  const other = {
    document_number: 'L898902C4',
    expires_on: '2032-04-16',
    nationality: 'AUT',
    place_of_birth: 'MUNICH',
    region: 'US-NY',
  };
  expect(matchClaims(asked, other)).toEqual({ ...all('mismatch'), place_of_birth: 'unsure' });
});

it('a custom value does not replace an expected one of the same name', () => {
  const asked = { full_name: 'Bo Nilsson', custom: { full_name: 'x' } };
  expect(matchClaims(asked, { full_name: 'ANNA ERIKSSON' })).toEqual({ full_name: 'mismatch' });
});

it('reportedMatching uses only the values of the interface', () => {
  const results = { a: 'match', b: 'mismatch', c: 'not_checked', d: 'unsure' } as const;
  expect(reportedMatching(results)).toEqual({ ...results, d: 'not_checked' });
});

it.each([
  ['Anna Maria Eriksson', 'match'],
  ['Anna Eriksson', 'match'],
  ['ERIKSSON Maria', 'match'],
  ['Anna Maria Eriksson Lindberg', 'match'],
  ['Maria Anna', 'unsure'],
  ['Anna Maria', 'unsure'],
  ['Anna Nilsson', 'mismatch'],
  ['Eriksson', 'mismatch'],
])('the expected name %s is compared with surname and given names: %s', (full_name, expected) => {
  const whole = { full_name: 'ANNA MARIA ERIKSSON' };
  const parts = { surname: 'ERIKSSON', given_names: 'ANNA MARIA' };
  expect(matchClaims({ full_name }, { ...whole, ...parts })).toEqual({ full_name: expected });
  // Without these parts, or with parts of another name, the whole name is compared.
  const asWhole = expected === 'unsure' ? 'match' : expected;
  for (const claims of [whole, { ...whole, ...parts, surname: 'NILSSON' }]) {
    expect(matchClaims({ full_name }, claims)).toEqual({ full_name: asWhole });
  }
});
