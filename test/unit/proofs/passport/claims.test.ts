import { expect, it } from 'vitest';
import { claimsOf } from '../../../../domain/proofs/passport/claims.ts';
import { verifyEmrtd } from '../../../../domain/proofs/passport/verify-emrtd.ts';
import { element } from '../../../../simulator/der.ts';
import { at, mint } from '../../../support/fixtures/passports/fixtures.ts';

const dg11 = (...fields: Uint8Array[]): Uint8Array =>
  element(0x6b, Buffer.concat([element(0x5c, Buffer.from('5f11', 'hex')), ...fields]));
const placed = (place: string | Uint8Array) => element(0x5f11, Buffer.from(place));

function claimsWith(file: Uint8Array) {
  const { policy, input } = mint({ files: { DG11: file } });
  const verdict = verifyEmrtd(policy, input, at);
  expect(verdict.verdict).toBe('passed');
  expect(JSON.stringify(verdict.facts)).not.toMatch(/ZENITH|L898902C3/);
  return claimsOf(verdict, input.dataGroups);
}

it('the claims include the number from DG1 and the place of birth from DG11, but the facts do not', () => {
  expect(claimsWith(dg11(placed('ZENITH<UTOPIA')))).toEqual({
    full_name: 'ANNA MARIA ERIKSSON',
    surname: 'ERIKSSON',
    given_names: 'ANNA MARIA',
    date_of_birth: '1974-08-12',
    place_of_birth: 'ZENITH, UTOPIA',
    nationality: 'UTO',
    sex: 'F',
    document_type: 'passport',
    document_number: 'L898902C3',
    issuing_country: 'UTO',
    expires_on: '2032-04-15',
  });
  expect(claimsWith(dg11(placed('Ålesund')))).toMatchObject({ place_of_birth: 'Ålesund' });
});

it.each([
  ['states no place', dg11()],
  ['has an empty place', dg11(placed('<<'))],
  ['has a place that is not UTF-8', dg11(placed(Buffer.from('c328', 'hex')))],
  ['has a place of more than 200 characters', dg11(placed('X'.repeat(201)))],
  ['is another file', element(0x6c, placed('ZENITH'))],
  ['is truncated', dg11(placed('ZENITH')).subarray(0, -1)],
])('the claims have no place of birth from a DG11 that %s', (_, file) => {
  const claims = claimsWith(file);
  expect(claims).toMatchObject({ document_number: 'L898902C3' });
  expect(claims).not.toHaveProperty('place_of_birth');
});
