import { describe, expect, it } from 'vitest';
import { parseEvidence } from '../../../../domain/judging/files.ts';
import { verifyEvidence } from '../../../../domain/judging/verifiers.ts';
import { isState, signsFor } from '../../../../domain/proofs/mrz/countries.ts';
import { birthDateOf, expiryDateOf, isOfAge } from '../../../../domain/proofs/mrz/dates.ts';
import { verifyMrz } from '../../../../domain/proofs/mrz/verify-mrz.ts';
import { mrzOf } from '../../../../simulator/passport/mrz.ts';
import { holder, outcome, results } from '../../../support/fixtures/passports/fixtures.ts';

/** The specimens of ICAO 9303-4, -5, -6 and -7; their documents expired in 2012. */
const specimens = {
  TD3: [
    'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
    'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
  ],
  TD1: [
    'I<UTOD231458907<<<<<<<<<<<<<<<',
    '7408122F1204159UTO<<<<<<<<<<<6',
    'ERIKSSON<<ANNA<MARIA<<<<<<<<<<',
  ],
  TD2: ['I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'D231458907UTO7408122F1204159<<<<<<<6'],
  'MRV-A': [
    'V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
    'L8988901C4XXX4009078F96121096ZE184226B<<<<<<',
  ],
  'MRV-B': ['V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'L8988901C4XXX4009078F9612109<<<<<<<<'],
};
const before = new Date('2012-01-01T00:00:00Z');
const visaTime = new Date('1996-06-01T00:00:00Z');
const judge = (lines: readonly string[], at = before) => verifyMrz({ lines }, at);

describe.each(Object.entries(specimens))('the %s specimen', (format, lines) => {
  const at = format.startsWith('MRV') ? visaTime : before;

  it('passes before its expiry, and returns its fields', () => {
    const verdict = judge(lines, at);
    expect(verdict).toMatchObject({ kind: 'mrz', verdict: 'passed', reason_code: null });
    expect(verdict.checks.map(({ name }) => name)).toEqual([
      'format',
      'check_digits',
      'country',
      'dates',
    ]);
    expect(verdict.facts).toMatchObject({
      format,
      issuing_country: 'UTO',
      surname: 'ERIKSSON',
      given_names: 'ANNA MARIA',
      full_name: 'ANNA MARIA ERIKSSON',
      sex: 'F',
      document_type: format === 'TD3' ? 'passport' : at === visaTime ? 'visa' : 'identity_card',
    });
  });

  it('fails on the day after its expiry', () => {
    const last = at === visaTime ? '1996-12-10' : '2012-04-15';
    expect(outcome(judge(lines, new Date(`${last}T23:59:59Z`)))).toBe('passed');
    const after = new Date(Date.parse(`${last}T00:00:00Z`) + 24 * 3_600_000);
    expect(outcome(judge(lines, after))).toBe('document_expired at dates');
  });

  it('fails after a change of any digit that a check digit covers', () => {
    const target = lines[1] ?? '';
    for (const [index, character] of [...target].entries()) {
      const covered = format === 'TD1' ? index < 15 : index < 28;
      if (!covered || !/\d/.test(character)) continue;
      const changed = `${target.slice(0, index)}${(Number(character) + 1) % 10}${target.slice(index + 1)}`;
      const verdict = judge(lines.with(1, changed), at);
      expect(verdict.verdict).toBe('failed');
      expect(results(verdict)['check_digits']).toBe('failed');
    }
  });
});

describe('the format', () => {
  const [first = '', second = ''] = specimens.TD3;

  it.each([
    ['no lines', []],
    ['one line', [first]],
    ['three lines of 44', [first, second, second]],
    ['a short line', [first.slice(1), second]],
    ['a long line', [first, `${second}<`]],
    ['lowercase letters', [first.toLowerCase(), second]],
    ['letters outside the alphabet', [first.replace('K', 'Å'), second]],
    ['a space', [first.replace('<', ' '), second]],
    ['a digit in the name', [first.replace('ANNA', '4NNA'), second]],
    ['no name', [`P<UTO${'<'.repeat(39)}`, second]],
    ['another class of document', [first.replace('P<', 'X<'), second]],
    ['another sex', [first, second.replace('F', 'Q')]],
    ['an old French identity card', [`IDFRA${'A'.repeat(25)}012345`, '0'.repeat(36)]],
    ['100,000 lines', Array.from({ length: 100_000 }, () => 'A'.repeat(44))],
  ])('is malformed with %s', (_, lines) => {
    const verdict = judge(lines);
    expect(outcome(verdict)).toBe('malformed at format');
    expect(verdict.facts).toEqual({});
    expect(results(verdict)).toMatchObject({ check_digits: 'skipped', dates: 'skipped' });
  });

  it('allows a holder with one name, and a name that fills the line', () => {
    const single = judge([`P<UTOARKFREITH${'<'.repeat(30)}`, second]);
    expect(single.facts).toMatchObject({ surname: 'ARKFREITH', given_names: '' });
    const full = judge([`P<UTO${'PAPANDROPOULOUS'.repeat(3).slice(0, 39)}`, second]);
    expect(full.facts).toMatchObject({ given_names: '' });
  });
});

describe('check digits', () => {
  const [first = '', second = ''] = specimens.TD3;
  const detail = (lines: string[]) =>
    judge(lines).checks.find(({ name }) => name === 'check_digits')?.detail;

  it('are named by field', () => {
    expect(detail([first, second.replace('L898902C3', 'L898902C4')])).toBe(
      'document_number, composite',
    );
    expect(detail([first, second.replace('7408122', '7408132')])).toBe('date_of_birth, composite');
    expect(detail([first, second.replace('1204159', '1204169')])).toBe('expires_on, composite');
    expect(detail([first, second.replace('ZE184', 'ZE185')])).toBe('personal_number, composite');
    expect(detail([first, `${second.slice(0, -1)}1`])).toBe('composite');
    expect(detail([first, second.replace('C36', 'C3<')])).toBe('document_number, composite');
  });

  it('cover a long document number in the optional data (TD1)', () => {
    // The example of ICAO 9303-11, Appendix D.
    const long = 'I<UTOD23145890<7349<<<<<<<<<<<';
    const dates = '3407127M9507122UTO<<<<<<<<<<<2';
    const name = 'STEVENSON<<PETER<JOHN<<<<<<<<<';
    const verdict = judge([long, dates, name], new Date('1995-01-01'));
    expect(outcome(verdict)).toBe('passed');
    expect(verdict.facts['document_number']).toBe('D23145890734');
    const withoutEnd = `I<UTOD23145890<${'0'.repeat(15)}`;
    expect(detail([withoutEnd, dates, name])).toContain('document_number');
  });

  it('may be missing only for an empty personal number', () => {
    const minted = mrzOf({ holder, documentNumber: 'L898902C3', expiresOn: '2012-04-15' });
    expect(minted[1].slice(28, 43)).toBe('<<<<<<<<<<<<<<0');
    expect(outcome(judge(minted))).toBe('passed');
    expect(outcome(judge([minted[0], minted[1].replace('<0', '<<')]))).toBe('passed');
  });
});

describe('countries', () => {
  const [first = '', second = ''] = specimens.TD3;

  it('include Utopia of the specimens, unless the policy excludes development', () => {
    const file = (lines: readonly string[], policy?: object) =>
      verifyEvidence(
        parseEvidence({
          format: 'trustcheck-evidence/1',
          images: [],
          kind: 'mrz',
          at: before.toISOString(),
          ...(policy ? { policy } : {}),
          input: { lines },
        }),
      );
    const genuine = [first.replace('UTO', 'D<<'), second.replace('UTO', 'D<<')];
    for (const policy of [undefined, {}, { development: true }]) {
      expect(outcome(file([first, second], policy))).toBe('passed');
    }
    const none = { development: false };
    expect(outcome(file([first, second], none))).toBe('country_unknown at country');
    expect(outcome(file([first.replace('UTO', 'D<<'), second], none))).toBe(
      'country_unknown at country',
    );
    expect(outcome(file(genuine, none))).toBe('passed');
  });

  it('are those of ICAO 9303-3', () => {
    expect(outcome(judge([first.replace('UTO', 'D<<'), second]))).toBe('passed');
    expect(judge([first.replace('UTO', 'D<<'), second]).facts['issuing_country']).toBe('DEU');
    expect(outcome(judge([first.replace('UTO', 'QQQ'), second]))).toBe(
      'country_unknown at country',
    );
    // XXA is a stateless person, XXX a person of unspecified nationality (9303-3 §5).
    expect(['XXA', 'XXX', 'UNO', 'EUE', 'RKS', 'GBD', 'FRA'].every(isState)).toBe(true);
    expect(['constructor', '__proto__', '', 'DE', 'fra'].some(isState)).toBe(false);
  });

  it('sign their own documents', () => {
    const pairs: [string | null, string, boolean][] = [
      ['DE', 'D', true],
      ['DE', 'DEU', true],
      ['GB', 'GBR', true],
      ['GB', 'GBD', true],
      ['KS', 'RKS', true],
      ['UN', 'UNO', true],
      ['CN', 'HKG', true],
      ['UT', 'UTO', true],
      ['XX', 'UTO', true],
      ['FR', 'UTO', false],
      ['FR', 'D', false],
      ['FR', '', false],
      [null, 'FRA', false],
      ['', 'FRA', false],
    ];
    for (const [country, state, expected] of pairs) {
      expect([country, state, signsFor(country, state)]).toEqual([country, state, expected]);
    }
  });
});

describe('dates without a century', () => {
  const at = new Date('2026-11-21T12:00:00Z');

  it('place a birth in the past, and an expiry within thirty years', () => {
    expect(birthDateOf('261121', at)?.text).toBe('2026-11-21');
    expect(birthDateOf('261122', at)?.text).toBe('1926-11-22');
    expect(birthDateOf('000229', at)?.text).toBe('2000-02-29');
    expect(expiryDateOf('561121', at)?.text).toBe('2056-11-21');
    expect(expiryDateOf('561122', at)?.text).toBe('1956-11-22');
  });

  it('may be incomplete', () => {
    expect(birthDateOf('7408<<', at)).toEqual({ text: '1974-08', complete: false });
    expect(birthDateOf('74<<<<', at)).toEqual({ text: '1974', complete: false });
    expect(birthDateOf('<<<<<<', at)).toEqual({ text: null, complete: false });
    for (const field of ['741301', '740230', '740000', '74<<12', '7408', '74-8-1', '']) {
      expect(birthDateOf(field, at)).toBeNull();
    }
  });

  it('resolve unknown parts against the holder, and count 29 February as 1 March', () => {
    const reached = (field: string, years: number, when: string): boolean => {
      const birth = birthDateOf(field, at);
      return birth !== null && isOfAge(birth, years, new Date(when));
    };
    expect(reached('040229', 18, '2022-02-28T23:00:00Z')).toBe(false);
    expect(reached('040229', 18, '2022-03-01T00:00:00Z')).toBe(true);
    expect(reached('0808<<', 18, '2026-08-30T00:00:00Z')).toBe(false);
    expect(reached('0808<<', 18, '2026-08-31T00:00:00Z')).toBe(true);
    expect(reached('08<<<<', 18, '2026-12-30T00:00:00Z')).toBe(false);
    expect(reached('<<<<<<', 18, '2026-12-30T00:00:00Z')).toBe(false);
  });
});
