import { describe, expect, it } from 'vitest';
import { countryNames, stateCodes } from '../../../../domain/proofs/mrz/countries.ts';

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

it('codes of States are those of claims, each once', () => {
  expect(new Set(stateCodes).size).toBe(stateCodes.length);
  expect(stateCodes.filter((code) => !/^[A-Z]{3}$/.test(code))).toEqual([]);
  const some = ['DEU', 'EUE', 'GBD', 'RKS', 'UTO', 'XOM', 'XXA', 'ZWE'];
  expect(stateCodes).toEqual(expect.arrayContaining(some));
  for (const code of ['D', 'GER', 'AAA', 'ENG']) expect(stateCodes).not.toContain(code);
});
