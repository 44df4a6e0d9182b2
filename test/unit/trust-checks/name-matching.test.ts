import { describe, expect, it } from 'vitest';
import { matchClaims } from '../../../domain/trust-checks/match.ts';
import { letterPairsMax, namesMatch } from '../../../domain/trust-checks/name-matching.ts';
import { transliterations } from '../../../domain/trust-checks/transliterations.ts';

/** Parts of names as their holders write them, and as a machine readable zone spells them. */
const same: readonly (readonly [string, string])[] = [
  ['Jürgen', 'JUERGEN'],
  ['Jürgen', 'JURGEN'],
  ['Jürgen', 'JUXXRGEN'],
  ['Jürgen Müller', 'JUERGEN MUELLER'],
  ['Jürgen Müller', 'MUELLER JURGEN'],
  ['Müller-Lüdenscheidt', 'MUELLER LUEDENSCHEIDT'],
  ['Bäcker', 'BAECKER'],
  ['Bäcker', 'BACKER'],
  ['Köhler', 'KOEHLER'],
  ['Köhler', 'KOHLER'],
  ['Weiß', 'WEISS'],
  ['WEIẞ', 'Weiss'],
  ['Groß Anna', 'ANNA GROSS'],
  ['Søren', 'SOEREN'],
  ['Kierkegård', 'KIERKEGAARD'],
  ['Kierkegård', 'KIERKEGARD'],
  ['Ærø', 'AEROE'],
  ['Åse', 'AASE'],
  ['Bjørk', 'BJOERK'],
  ['Guðmundsdóttir', 'GUDMUNDSDOTTIR'],
  ['Þórður', 'THORDUR'],
  ['Łukasz', 'LUKASZ'],
  ['Wałęsa', 'WALESA'],
  ['Đorđe', 'DORDE'],
  ['Đorđević', 'DJORDJEVIC'],
  ['Søren', 'SOREN'],
  ['Anna-Maria', 'ANNAMARIA'],
  ['Anna-Lena O’Connor', 'ANNALENA O CONNOR'],
  ['Nguyễn Đức', 'NGUYEN DUC'],
  ['Muñoz', 'MUNOZ'],
  ['Muñoz', 'MUNXXOZ'],
  ['Sinéad O’Connor', 'SINEAD OCONNOR'],
  ["O'Connor", 'OCONNOR'],
  ["O'Connor", 'O CONNOR'],
  ['O‘Connor', 'OCONNOR'],
  ["D'Artagnan", 'DARTAGNAN'],
  ['Col·lell', 'COLLELL'],
  ['Anna-María', 'ANNA MARIA'],
  ['Anna-Maria Eriksson', 'ANNA MARIA ERIKSSON'],
  ['Anna Maria Eriksson', 'ANNA ERIKSSON'],
  ['Gurpreet Singh', 'GURPREET KAUR SINGH'],
  ['Anna-Maria Eriksson', 'ANNA MARIA SOFIA ERIKSSON'],
  ['Li Anna', 'ANNA LI'],
  ['İlker', 'ILKER'],
  ['Şahin', 'SAHIN'],
  ['Işık', 'ISIK'],
  ['Çağlar', 'CAGLAR'],
  ['Cœur', 'COEUR'],
  ['François', 'FRANCOIS'],
  ['Dvořák', 'DVORAK'],
  ['Ștefan', 'STEFAN'],
  ['Şţefan', 'STEFAN'],
  ['Gonçalves', 'GONCALVES'],
  ['Őri', 'ORI'],
  ['Kālniņš', 'KALNINS'],
  ['Ħamrun', 'HAMRUN'],
  ['Ŧeahpi', 'TEAHPI'],
  ['Ŋaja', 'NAJA'],
  ['Əli', 'ALI'],
  ['J. Müller', 'J MUELLER'],
  ['Jürgen', 'Jürgen'],
  ['Jürgen', 'Ju\u0308rgen'],
  ['ﬀord', 'FFORD'],
  ['Сергей', 'SERGEI'],
  ['Юлия', 'IULIIA'],
  ['Юлія', 'YULIIA'],
  ['Щербаков', 'SHCHERBAKOV'],
  ['Пётр', 'PETR'],
  ['Наталья', 'NATALIA'],
  ['Подъячев', 'PODIEIACHEV'],
  ['Хрущёв', 'KHRUSHCHEV'],
  ['Гончар', 'HONCHAR'],
  ['Україна', 'UKRAINA'],
  ['Živković', 'ZIVKOVIC'],
  ['Живковић', 'ZIVKOVIC'],
  ['Ђорђе', 'DORDE'],
  ['Љубиша', 'LJUBISA'],
  ['Цветков', 'TSVETKOV'],
  ['Щърбов', 'SHTARBOV'],
  ['Παπαδόπουλος', 'PAPADOPOULOS'],
  ['Γεώργιος', 'GEORGIOS'],
  ['Ευάγγελος', 'EVANGELOS'],
  ['Μπότσαρης', 'BOTSARIS'],
  ['Χρήστος', 'CHRISTOS'],
  ['Σταύρος', 'STAVROS'],
  ['Ψαραύτης', 'PSARAFTIS'],
  ['Ιωάννης', 'IOANNIS'],
];

const different: readonly (readonly [string, string])[] = [
  ['Jürgen', 'JIRGEN'],
  ['Jürgen', 'JOERGEN'],
  ['Jürgen', 'JUEERGEN'],
  ['Jürgen', 'JUXRGEN'],
  ['Jürgen', 'JUERGE'],
  ['Jürgen', 'JUERGENS'],
  ['Jürgen', 'JUERGEN MUELLER'],
  ['Jürgen Müller', 'JUERGEN MILLER'],
  ['Jürgen Müller', 'MUELLER'],
  ['Bäcker', 'BECKER'],
  ['Köhler', 'KEHLER'],
  ['Weiß', 'WEIS'],
  ['Weiß', 'WEIB'],
  ['Søren', 'SAEREN'],
  ['Åse', 'OSE'],
  ['Þórður', 'PORDUR'],
  ['Łukasz', 'TUKASZ'],
  ['Đorđe', 'DJORDJEVIC'],
  ['Muñoz', 'MUNYOZ'],
  ["O'Connor", 'CONNOR'],
  ['J', 'JOHN'],
  ['Anna Maria', 'ANNAMARIA JONES'],
  ['J Morgan', 'PETER MORGAN'],
  ['Xiao Ming Li', 'XIAOMAO LI'],
  ["O'Connor", 'SINEAD OCONNOR'],
  ["O'Connor", 'SINEAD O CONNOR'],
  ["D'Artagnan", 'DE ARTAGNAN'],
  ['Anna-Maria', 'ANNAMARIA ERIKSSON'],
  ['Anna Anna', 'ANNA MARIA'],
  ['Anna Anna Maria', 'ANNA MARIA MARIA'],
  ['Jürgen Jurgen', 'JUERGEN MUELLER'],
  ['Anna Maria Eriksson', 'ANNA ERIKSEN'],
  ['Işık', 'ASIK'],
  ['Сергей', 'SERGIUS'],
  ['Юлия', 'JULIA'],
  ['Хрущёв', 'KRUSHCHEV'],
  ['Щербаков', 'SCHERBAKOV'],
  ['Ђорђе', 'GEORGE'],
  ['Παπαδόπουλος', 'PAPADOPULOS'],
  ['Μάυρος', 'MAVROS'],
  ['Προΰπη', 'PROUPI'],
  ['Anna', ''],
  ['', ''],
  ['!!', '??'],
  ['Anna', 'ANNA4'],
];

/** No table decides whether these belong to one person. */
const unknown: readonly (readonly [string, string])[] = [
  ['张伟', 'ZHANG WEI'],
  ['張偉', '张伟'],
  ['김민준', 'KIM MINJUN'],
  ['محمد علي', 'MOHAMMED ALI'],
  ['דוד לוי', 'DAVID LEVI'],
  ['สมชาย', 'SOMCHAI'],
  ['राम कुमार', 'RAM KUMAR'],
  ['たなか', 'TANAKA'],
  ['Anna 张', 'BO NILSSON'],
];

/** No rule decides: one person's name at two offices, or the names of two persons. */
const doubtful: readonly (readonly [string, string])[] = [
  ['Anna Maria', 'ANNAMARIA'],
  ['Mary Ann Lee', 'MARYANN LEE'],
  ['Mary Ann Lee', 'LEE MARYANN'],
  ['Juan De la Cruz', 'JUAN DELACRUZ'],
  ['Mary Ann van der Berg', 'MARYANN VANDERBERG'],
  ['D Arcy Anne', 'DARCY ANNE'],
  ['LI XIAO MING', 'LI XIAOMING'],
  ['J P Morgan', 'JP MORGAN'],
  ['J Morgan', 'JOHN MORGAN'],
  ['St. John Smith', 'SAINT JOHN SMITH'],
  ['Gurpreet Singh', 'GURPREET HARPREET KAUR SINGH'],
  ['Anna Eriksson', 'ERIKSSON ANNA MARIA SOFIA'],
  ['Anna-Lena Eriksson', 'ANNALENA MARIA SOFIA ERIKSSON'],
];

describe('names', () => {
  it('have many examples on both sides', () => {
    expect(same.length).toBeGreaterThanOrEqual(60);
    expect(different.length).toBeGreaterThanOrEqual(30);
  });

  it.each(same)('agree as %s and %s', (one, other) => {
    expect([namesMatch(one, other), namesMatch(other, one)]).toEqual([true, true]);
  });

  it.each(different)('differ as %s and %s', (one, other) => {
    expect([namesMatch(one, other), namesMatch(other, one)]).toEqual([false, false]);
  });

  it.each([...unknown, ...doubtful])('are unsure for %s and %s', (one, other) => {
    expect([namesMatch(one, other), namesMatch(other, one)]).toEqual([undefined, undefined]);
    expect(matchClaims({ full_name: one }, { full_name: other })).toEqual({ full_name: 'unsure' });
    expect(namesMatch(one, one)).toBe(true);
  });

  it('match each word with exactly one other, in any possible assignment', () => {
    // The first word could match either of the others, the second only one of them.
    expect(namesMatch('Müller Mueller Anna', 'MUELLER MULLER ANNA')).toBe(true);
    expect(namesMatch('Mueller Müller Anna', 'MUELLER MULLER ANNA')).toBe(true);
    expect(namesMatch('Müller Müller Anna', 'MUELLER MOLLER ANNA')).toBe(false);
  });

  it('are compared in bounded time, however many spellings they have', () => {
    const many = 'ü'.repeat(63);
    expect(namesMatch(many, 'UE'.repeat(63))).toBe(true);
    expect(namesMatch(many, `${'UE'.repeat(62)}A`)).toBe(false);
    expect(namesMatch(many, `${many.slice(1)}ö`)).toBe(false);
    const words = Array.from({ length: 44 }, () => 'äü').join(' ');
    expect(namesMatch(words, words)).toBe(true);
    expect(namesMatch(words, `${words.slice(0, -2)}öo`)).toBe(false);
  });

  it('are compared up to the length of a zone, and are unsure beyond it', () => {
    const zone = `${'A'.repeat(19)} ${'B'.repeat(20)}`;
    const longest = `${'A'.repeat(19)} ${'B'.repeat(20)} ${'Ъ'.repeat(161)}`;
    expect([namesMatch(longest, zone), namesMatch(zone, longest)]).toEqual([true, true]);
    expect(namesMatch(longest, zone.replace(/B$/, 'C'))).toBe(false);
    expect(100 * 80).toBe(letterPairsMax);
    const [hundred, eighty] = ['Ъ'.repeat(100), 'Ъ'.repeat(79)];
    expect(namesMatch(hundred, `${eighty}Q`)).toBe(false);
    expect(namesMatch(hundred, hundred)).toBe(true);
    for (const [one, other] of [
      [hundred, `${eighty}ЪQ`],
      [hundred, `Ъ${hundred}`],
      ['Ъ'.repeat(200), `${'Ъ'.repeat(199)}Q`],
      // Eighteen letters each when written out.
      ['ﷺ'.repeat(200), zone],
      ['A '.repeat(200), 'B '.repeat(200)],
    ] as const) {
      const said = [namesMatch(one, other), namesMatch(other, one)];
      expect(said, one).toEqual([undefined, undefined]);
      expect(matchClaims({ full_name: one }, { full_name: other })).toEqual({
        full_name: 'unsure',
      });
    }
  });

  it('are transliterated by a table of composed capital letters', () => {
    for (const [letter, spellings] of transliterations) {
      expect([letter.normalize('NFC'), letter.toUpperCase()]).toEqual([letter, letter]);
      for (const spelling of spellings) expect(spelling).toMatch(/^[A-Z]*$/);
    }
  });
});
