import { expect, it } from 'vitest';
import { matchClaims } from '../../../activities/trust-checks/match.ts';

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
