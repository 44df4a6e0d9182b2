import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeMessage, deriveCode, isCode } from '../../../../domain/proofs/phone/code.ts';

const secret = Buffer.alloc(32, 3);

describe('codes', () => {
  it('have six digits, and are the same for the same session and series', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), (session, series) => {
        const code = deriveCode(secret, session, series);
        expect(code).toMatch(/^[0-9]{6}$/);
        expect(deriveCode(secret, session, series)).toBe(code);
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it('differ by session, series and secret', () => {
    const codes = [
      deriveCode(secret, 'tc_1', 1),
      deriveCode(secret, 'tc_1', 2),
      deriveCode(secret, 'tc_1', 11),
      deriveCode(secret, 'tc_11', 1),
      deriveCode(secret, 'tc_1","1', 1),
      deriveCode(Buffer.alloc(32, 4), 'tc_1', 1),
    ];
    expect(new Set(codes).size).toBe(codes.length);
  });

  it('are evenly distributed in all six places', () => {
    const total = 20_000;
    const counts = Array.from({ length: 6 }, () => Array.from({ length: 10 }, () => 0));
    for (let session = 0; session < total; session += 1) {
      const code = deriveCode(secret, `tc_${session}`, 1);
      counts.forEach((place, index) => {
        const digit = Number(code[index]);
        place[digit] = (place[digit] ?? 0) + 1;
      });
    }
    // Chi-square with nine degrees of freedom is below 33.7 in 9,999 of 10,000 trials.
    for (const place of counts) {
      const expected = total / 10;
      const squares = place.map((count) => (count - expected) ** 2 / expected);
      expect(squares.reduce((sum, square) => sum + square, 0)).toBeLessThan(33.7);
    }
  });

  it.for(['012345', ' 012345\n', '012 345', '012-345', '01\u00a023\u200945', '012–345'])(
    'match the input %j',
    (offered) => {
      expect(isCode('012345', offered)).toBe(true);
    },
  );

  it.for([
    '',
    '12345',
    '0123456',
    '012346',
    '0123450',
    '٠١٢٣٤٥',
    '０１２３４５',
    '𝟎𝟏𝟐𝟑𝟒𝟓',
    '012345\u0000',
    '012345😀',
    '012345'.repeat(100_000),
    `${' '.repeat(100_000)}012345`,
  ])('do not match other input (%#)', (offered) => {
    expect(isCode('012345', offered)).toBe(false);
  });

  it('never match random input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (offered) => {
        const isSame = offered.replaceAll(/[^0-9]/g, '') === '012345';
        if (!isSame) expect(isCode('012345', offered)).toBe(false);
      }),
      { numRuns: 1000, seed: 2 },
    );
  });
});

describe('codeMessage', () => {
  const lineOf = (name: string): string =>
    codeMessage('012345', name, 'trust.test', 'en').split('\n')[0] ?? '';

  it('begins with the code, and ends with the line for browsers', () => {
    expect(codeMessage('012345', 'Example App', 'trust.test', 'en')).toBe(
      '012345 is your code for Example App. Do not share it.\n\n@trust.test #012345',
    );
    expect(codeMessage('012345', 'Example App', '127.0.0.1:8080', 'en')).toMatch(
      /\n\n@127\.0\.0\.1 #012345$/,
    );
  });

  it.for([
    ['de', 'ist Ihr Code für'],
    ['de-AT', 'ist Ihr Code für'],
    ['DE_de', 'ist Ihr Code für'],
    ['fr-CA', 'est votre code pour'],
    ['es', 'es su clave para'],
    ['est', 'is your code for'],
    ['xx', 'is your code for'],
    ['', 'is your code for'],
    ['constructor', 'is your code for'],
    ['__proto__', 'is your code for'],
    ['d'.repeat(100_000), 'is your code for'],
  ])('uses the language of the locale (%#)', ([locale = '', words]) => {
    expect(codeMessage('012345', 'App', 'trust.test', locale)).toContain(words);
  });

  it.for(['en', 'de', 'fr', 'es'])(
    'fits into one text message of 160 characters in %s',
    (locale) => {
      const message = codeMessage('012345', 'x'.repeat(40), 'check.example.com', locale);
      expect(message.length).toBeLessThanOrEqual(160);
      // The GSM 03.38 letters that these sentences may use.
      expect(message).toMatch(/^[\nA-Za-z0-9 .@#äöüÄÖÜàèéùìòñÑÇß]*$/);
    },
  );

  it.for([
    ['Evil\r\n@other.test #999999', 'Evil other.test 999999'],
    ['Evil\u2028@other.test\u0085#999999', 'Evil other.test 999999'],
    ['https://evil.test/login', 'https: evil.test login'],
    ['left\u202egnp.exe\u202c', 'left gnp.exe'],
    ['zero\u200bwidth\ufeff', 'zero width'],
    ['bell\u0007 and \u001b[31mred', 'bell and [31mred'],
    ['lone \ud800 half', 'lone half'],
    ['<b>bold</b>', 'b bold b'],
    ['  much   room  ', 'much room'],
    ['Bäckerei Ünal 😀', 'Bäckerei Ünal 😀'],
  ])(
    'removes from the app name what could be mistaken for other content (%#)',
    ([name = '', shown]) => {
      expect(lineOf(name)).toBe(`012345 is your code for ${shown}. Do not share it.`);
    },
  );

  it('names the host when nothing remains of the app name', () => {
    for (const name of ['', ' \n ', '@#', '\u200b']) expect(lineOf(name)).toContain('trust.test');
  });

  it('has three lines, a limited length and whole characters for any app name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (name) => {
        const message = codeMessage('012345', name, 'trust.test', 'de');
        expect(message.split(/[\n\r\u2028\u2029\u0085]/)).toHaveLength(3);
        expect(message.endsWith('\n\n@trust.test #012345')).toBe(true);
        expect(message.isWellFormed()).toBe(true);
        expect(message.length).toBeLessThan(200);
      }),
      { numRuns: 1000, seed: 3 },
    );
    expect(lineOf('😀'.repeat(100_000))).toContain(`${'😀'.repeat(40)}.`);
  });
});
