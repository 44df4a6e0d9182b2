import fc from 'fast-check';

/** Texts that often break programs; valid where a schema requires only a length. */
const odd: readonly string[] = [
  '',
  ' ',
  '\t',
  '\u0000',
  'a\u0000b',
  '\u0001\u001f\u007f\u0085',
  '\ud800',
  '\udfff\ud800',
  '\ufeffa',
  '\ufffe\uffff',
  '\u202eevil\u202c',
  'e\u0301\u0327\u0323'.repeat(8),
  '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}',
  '\u0130\u0131\u017f\ufb01',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'true',
  '-1',
  '0x10',
  '1e400',
  '2147483648',
  '9223372036854775808',
  "' OR '1'='1' --",
  '%_\\',
  '$1',
  '{{7*7}}',
  '${7*7}',
  '<script>alert(1)</script>',
  ']]>&lt;',
  '../../etc/passwd',
  '..\\..\\',
  'a,b;c|d&e=f',
  '"',
  "\\'",
  'a\r\nX-Injected: 1',
  '0000-00-00',
  '9999-12-31T23:59:60Z',
  '-000001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  'P1Y',
  'https://b\u00fccher.example/',
  'https://user:pass@example.test/',
  'javascript:alert(1)',
  '//example.test',
  'b\u00fccher@b\u00fccher.example',
  '٣',
];

/** Odd texts, short texts of any characters, and sometimes a long one. */
export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...odd) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 24 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 24 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('a', 'ü', '\u{1f600}', ' ', '\u0301'),
        fc.constantFrom(64, 65, 128, 129, 200, 201, 255, 256, 257, 1000, 4097, 70_000),
      )
      .map(([char, count]) => char.repeat(count)),
  },
);

/** Characters that a header can carry: visible Latin-1, with tabs inside. */
export const headerText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('', ',', ';', '"', 'null', '*', '\u00ff\u00fe', 'a\tb', 'x'.repeat(300)),
  fc.constantFrom('x'.repeat(5000), '0', '-1', '"a", "b"', 'W/"a"', 'W/"', '=?utf-8?q?a?='),
  fc
    .array(fc.integer({ min: 0x21, max: 0xff }), { maxLength: 40 })
    .map((codes) => String.fromCharCode(...codes.filter((code) => code !== 0x7f))),
);
