import { describe, expect, it } from 'vitest';
import { countryNames, stateCodes } from '../../../../domain/proofs/mrz/countries.ts';

describe('the names of issuing States', () => {
  it.each([
    ['en', ['Austria', 'Germany', 'Kosovo', 'United States']],
    ['de', ['Deutschland', 'Kosovo', 'Österreich', 'Vereinigte Staaten']],
    ['ja', ['アメリカ合衆国', 'オーストリア', 'コソボ', 'ドイツ']],
  ])('are in the language %s, in its alphabetical order', (language, names) => {
    expect(countryNames(['USA', 'DEU', 'RKS', 'AUT'], language)).toEqual(names);
  });

  it('contain a State with several codes once', () => {
    expect(countryNames(['GBR', 'GBD', 'GBS', 'D', 'DEU'], 'en')).toEqual([
      'Germany',
      'United Kingdom',
    ]);
  });

  it('fall back to the ICAO name or the code when ISO 3166-1 has no name', () => {
    expect(countryNames(['XXA'], 'de')[0]).toMatch(/^Stateless person/);
    expect(countryNames(['UTO'], 'de')).toEqual(['UTO']);
  });
});

it('stateCodes contains each three-letter code once', () => {
  expect(new Set(stateCodes).size).toBe(stateCodes.length);
  expect(stateCodes.filter((code) => !/^[A-Z]{3}$/.test(code))).toEqual([]);
  const some = ['DEU', 'EUE', 'GBD', 'RKS', 'UTO', 'XOM', 'XXA', 'ZWE'];
  expect(stateCodes).toEqual(expect.arrayContaining(some));
  for (const code of ['D', 'GER', 'AAA', 'ENG']) expect(stateCodes).not.toContain(code);
});
