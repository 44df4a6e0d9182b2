import { describe, expect, it } from 'vitest';
import { countryNames, issuers } from '../../../../domain/proofs/mrz/countries.ts';

describe('the names of issuing States', () => {
  it.each([
    ['en', ['Austria', 'Germany', 'Kosovo', 'United States']],
    ['de', ['Deutschland', 'Kosovo', 'Österreich', 'Vereinigte Staaten']],
    ['ja', ['アメリカ合衆国', 'オーストリア', 'コソボ', 'ドイツ']],
  ])('are in the language %s, by its alphabet', (language, names) => {
    expect(countryNames(['USA', 'DEU', 'RKS', 'AUT'], language)).toEqual(names);
  });

  it('are there once for a State with several codes', () => {
    expect(countryNames(['GBR', 'GBD', 'GBS', 'D', 'DEU'], 'en')).toEqual([
      'Germany',
      'United Kingdom',
    ]);
  });

  it('are what the code says where ISO 3166-1 has no name', () => {
    expect(countryNames(['XXA'], 'de')[0]).toMatch(/^Stateless person/);
    expect(countryNames(['UTO'], 'de')).toEqual(['UTO']);
  });
});

it('issuers have the codes of claims, in their order', () => {
  expect(issuers).toEqual(issuers.toSorted());
  expect(issuers.filter((code) => !/^[A-Z]{3}$/.test(code))).toEqual([]);
  expect(issuers).toEqual(
    expect.arrayContaining(['DEU', 'EUE', 'GBD', 'RKS', 'UTO', 'XOM', 'ZWE']),
  );
  for (const code of ['D', 'GER', 'AAA', 'XXA', 'XXB', 'XXC', 'XXX'])
    expect(issuers).not.toContain(code);
});
