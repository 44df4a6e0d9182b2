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

it('says of what no proof tells that it is not checked', () => {
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

it('says what agrees and what does not, of the fields asked for alone', () => {
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

it('compares what a document says of itself and of its holder', () => {
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

it('does not let a value of the requester’s own hide one that is expected', () => {
  const asked = { full_name: 'Bo Nilsson', custom: { full_name: 'x' } };
  expect(matchClaims(asked, { full_name: 'ANNA ERIKSSON' })).toEqual({ full_name: 'mismatch' });
});

it('is told in the words of the interface', () => {
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
])('holds %s against both parts of a name', (full_name, expected) => {
  const whole = { full_name: 'ANNA MARIA ERIKSSON' };
  const parts = { surname: 'ERIKSSON', given_names: 'ANNA MARIA' };
  expect(matchClaims({ full_name }, { ...whole, ...parts })).toEqual({ full_name: expected });
  // Who does not part them is held against as a whole, and so is who has the parts of another.
  const asWhole = expected === 'unsure' ? 'match' : expected;
  for (const claims of [whole, { ...whole, ...parts, surname: 'NILSSON' }]) {
    expect(matchClaims({ full_name }, claims)).toEqual({ full_name: asWhole });
  }
});
