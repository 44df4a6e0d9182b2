import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAddress } from '../../../domain/identity/email-address.ts';

const comparable = (text: string): string | undefined => readAddress(text)?.comparable;

describe('an email address', () => {
  it.each([
    ['case', 'Person@Example.TEST', 'person@example.test'],
    ['surrounding white space', '  person@example.test\t', 'person@example.test'],
    ['a trailing dot', 'person@example.test.', 'person@example.test'],
    ['a U-label', 'person@bücher.example', 'person@xn--bcher-kva.example'],
    ['an A-label in capitals', 'person@XN--BCHER-KVA.example', 'person@xn--bcher-kva.example'],
    ['a fullwidth domain', 'person@ｅｘａｍｐｌｅ.test', 'person@example.test'],
    ['an ideographic full stop', 'person@example。test', 'person@example.test'],
    ['decomposed letters', 'jose\u0301@example.test', 'jos\u00e9@example.test'],
    ['case beyond ASCII', 'ÉMILE.ΩДЖ@example.test', 'émile.ωдж@example.test'],
    [
      'an Angstrom sign, which NFC turns into a letter',
      '\u212bsa@example.test',
      '\u00e5sa@example.test',
    ],
    ['a tag, which is kept', 'person+tag@example.test', 'person+tag@example.test'],
    ['dots, which are kept', 'per.son@example.test', 'per.son@example.test'],
  ])('is normalized for comparison: %s', (_what, given, read) => {
    expect(comparable(given)).toBe(read);
  });

  it.each([
    ['a dotless i', 'm\u0131ke', 'mike'],
    ['an I with a dot', 'm\u0130ke', 'mike'],
    ['a sharp s', 'stra\u00dfe', 'strasse'],
    ['a capital sharp s', 'stra\u1e9ee', 'stra\u00dfe'],
    ['a long s', 'bo\u017f\u017f', 'boss'],
    ['a ligature', 'o\ufb03ce', 'office'],
    ['a final sigma', 'νέο\u03c2', 'νέοσ'],
    ['a fullwidth letter', 'kim\uff41', 'kima'],
    ['a micro sign', '\u00b5s', '\u03bcs'],
  ])('with %s differs from its look-alike', (_what, one, other) => {
    const [read, theirs] = [one, other].map((local) => comparable(`${local}@example.test`));
    expect(read).toBeDefined();
    expect(theirs).toBeDefined();
    expect(read).not.toBe(theirs);
  });

  it('equals at most one other, which differs only in the case of one letter', () => {
    const met = new Map<string, Set<string>>();
    for (let point = 0x21; point <= 0x10_ff_ff; point += 1) {
      const letter = String.fromCodePoint(point).normalize('NFC');
      const isCased = /\p{Changes_When_Casemapped}/u.test(letter);
      const read = isCased && comparable(`${letter}@example.test`);
      if (read) met.set(read, (met.get(read) ?? new Set()).add(letter));
    }
    const pairs = [...met].filter(([, letters]) => letters.size > 1);
    expect(pairs.length).toBeGreaterThan(1000);
    for (const [, letters] of pairs) {
      const [first = '', second = '', ...others] = [...letters];
      expect([first.toLowerCase(), others]).toEqual([second.toLowerCase(), []]);
      expect(first.toUpperCase()).toBe(second.toUpperCase());
    }
  });

  it('is delivered to the local part as given, at the ASCII domain', () => {
    expect(readAddress(' Per.Son+Tag@Bücher.Example. ')?.deliverable).toBe(
      'Per.Son+Tag@xn--bcher-kva.example',
    );
  });

  it.each([
    ['no content', ''],
    ['no @', 'person.example.test'],
    ['no local part', '@example.test'],
    ['no domain', 'person@'],
    ['a single label', 'person@localhost'],
    ['two addresses', 'a@example.test,b@example.test'],
    ['two addresses on two lines', 'a@example.test\nb@example.test'],
    ['a header after the address', 'a@example.test\r\nBcc: b@example.test'],
    ['a header before the domain', 'a\r\nBcc: b@example.test'],
    ['a name and angle brackets', 'A Person <a@example.test>'],
    ['two @', 'a@b@example.test'],
    ['a quoted local part', '"a b"@example.test'],
    ['a comment', 'a(comment)@example.test'],
    ['an address literal', 'a@[127.0.0.1]'],
    ['an IPv4 address', 'a@127.0.0.1'],
    ['an empty label', 'a@example..test'],
    ['a label that begins with a hyphen', 'a@-example.test'],
    ['two dots', 'a..b@example.test'],
    ['a dot at the end of the local part', 'a.@example.test'],
    ['a NUL', 'a\u0000@example.test'],
    ['a zero-width space', 'a\u200b@example.test'],
    ['a right-to-left override', 'a\u202eb@example.test'],
    ['a backslash', 'a\\@example.test'],
    ['a local part of 65 characters', `${'a'.repeat(65)}@example.test`],
    [
      '255 characters',
      `a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(68)}.test`,
    ],
  ])('is refused with %s', (_what, given) => {
    expect(readAddress(given)).toBeNull();
  });

  it('reads the same again after normalization', () => {
    const local = fc.stringMatching(/^[A-Za-zäöüßé0-9+_-]{1,20}$/u);
    const label = fc.stringMatching(/^[A-Za-z0-9]{1,10}$/);
    fc.assert(
      fc.property(local, label, (name, domain) => {
        const read = readAddress(`${name}@${domain}.example`);
        expect(read).not.toBeNull();
        expect(readAddress(read?.comparable ?? '')?.comparable).toBe(read?.comparable);
        expect(readAddress(read?.deliverable ?? '')?.comparable).toBe(read?.comparable);
      }),
    );
  });

  it('never causes an exception, and never contains a line break, a space or a second @', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const read = readAddress(text);
        if (!read) return;
        for (const form of Object.values(read)) {
          expect(form).toMatch(/^[^\s\p{C}@,;:<>]+@[a-z0-9.-]+$/u);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
