import { describe, expect, it } from 'vitest';
import { verifyMrz } from '../../../../domain/proofs/mrz/verify-mrz.ts';
import { verifyEmrtd } from '../../../../domain/proofs/passport/verify-emrtd.ts';
import { mrzOf } from '../../../../simulator/passport/mrz.ts';
import { createDevCsca } from '../../../../simulator/roots/passport.ts';
import {
  at,
  holder,
  judged,
  mint,
  outcome,
  withGroup,
} from '../../../support/fixtures/passports/fixtures.ts';

const fields = { holder, documentNumber: 'L898902C3', expiresOn: '2032-04-15' };
const zoneOf = (lines: readonly string[]): string => outcome(verifyMrz({ lines }, at));
describe('a changed sex', () => {
  const [first, second] = mrzOf(fields);
  const altered = `${second.slice(0, 20)}M${second.slice(21)}`;

  it('is detected in the signed DG1, but not in a zone alone', () => {
    const { policy, input } = mint();
    const DG1 = Buffer.from(input.dataGroups['DG1'] ?? []);
    const file = Buffer.from(DG1.toString('latin1').replace(second, altered), 'latin1');
    expect(file.equals(DG1)).toBe(false);
    const forged = { policy, input: withGroup(input, 'DG1', file) };
    expect(judged(forged)).toBe('dg_hash_mismatch at dg_hashes');
    // No check digit covers the sex (ICAO 9303-4 §4.2.2.2), so a zone alone proves nothing.
    expect(zoneOf([first, altered])).toBe('passed');
  });
});

describe('a document with an unusual expiry', () => {
  it.each([
    ['no date', '20<<<<<<', 'malformed at dates', 'malformed at expiry'],
    ['only a year', '2032<<<<', 'malformed at dates', 'malformed at expiry'],
    ['a year of 2099', '2099-12-31', 'document_expired at dates', 'document_expired at expiry'],
  ])('is refused with %s', (_, expiresOn, zone, chip) => {
    expect(zoneOf(mrzOf({ ...fields, expiresOn }))).toBe(zone);
    expect(judged(mint({ expiresOn }))).toBe(chip);
  });
});

describe('rare codes', () => {
  it.each(['XOM', 'UNO', 'UNA', 'XPO', 'XXA', 'XXB', 'XXC', 'XXX'])(
    'are accepted as a nationality: %s',
    (nationality) => {
      const { policy, input } = mint({ holder: { ...holder, nationality } });
      const verdict = verifyEmrtd(policy, input, at);
      expect(outcome(verdict)).toBe('passed');
      expect(verdict.facts['claims']).toMatchObject({ nationality });
      expect(zoneOf(mrzOf({ ...fields, holder: { ...holder, nationality } }))).toBe('passed');
    },
  );

  it.each([
    ['UNO', 'UN', 'passed', 'passed'],
    ['UNA', 'UN', 'passed', 'passed'],
    // No list names the country of its certificates, so until it is known none can sign for it.
    ['XOM', 'XX', 'country_mismatch at csca_trusted', 'passed'],
    ['UNO', 'UT', 'country_mismatch at csca_trusted', 'passed'],
    ['XXA', 'XX', 'country_mismatch at csca_trusted', 'country_unknown at country'],
    ['XXB', 'XX', 'country_mismatch at csca_trusted', 'country_unknown at country'],
    ['XXC', 'XX', 'country_mismatch at csca_trusted', 'country_unknown at country'],
    ['XXX', 'XX', 'country_mismatch at csca_trusted', 'country_unknown at country'],
  ])(
    'are judged as an issuer: %s signed by %s is %s, and a zone alone is %s',
    (issuingState, country, chip, zone) => {
      const issuer = createDevCsca(at, { country });
      expect(judged(mint({ issuingState }, issuer))).toBe(chip);
      expect(zoneOf(mrzOf({ ...fields, issuingState }))).toBe(zone);
    },
  );
});
