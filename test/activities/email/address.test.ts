import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAddress } from '../../../activities/email/address.ts';

const comparable = (text: string): string | undefined => readAddress(text)?.comparable;

describe('an address', () => {
  it.each([
    ['case', 'Person@Example.TEST', 'person@example.test'],
    ['space around', '  person@example.test\t', 'person@example.test'],
    ['a dot at the end', 'person@example.test.', 'person@example.test'],
    ['a U-label', 'person@bücher.example', 'person@xn--bcher-kva.example'],
    ['an A-label in capitals', 'person@XN--BCHER-KVA.example', 'person@xn--bcher-kva.example'],
    ['a fullwidth domain', 'person@ｅｘａｍｐｌｅ.test', 'person@example.test'],
    ['an ideographic full stop', 'person@example。test', 'person@example.test'],
    ['decomposed letters', 'jose\u0301@example.test', 'jos\u00e9@example.test'],
    ['a sharp s', 'STRASSE@example.test', 'strasse@example.test'],
    ['what folds to two letters', 'straße@example.test', 'strasse@example.test'],
    ['a tag, which is kept', 'person+tag@example.test', 'person+tag@example.test'],
    ['dots, which are kept', 'per.son@example.test', 'per.son@example.test'],
  ])('is compared without regard to %s', (_what, given, read) => {
    expect(comparable(given)).toBe(read);
  });

  it('is written to as it was given, at its domain as mail servers know it', () => {
    expect(readAddress(' Per.Son+Tag@Bücher.Example. ')?.deliverable).toBe(
      'Per.Son+Tag@xn--bcher-kva.example',
    );
  });

  it.each([
    ['nothing', ''],
    ['no @', 'person.example.test'],
    ['no local part', '@example.test'],
    ['no domain', 'person@'],
    ['one label', 'person@localhost'],
    ['two', 'a@example.test,b@example.test'],
    ['two by a line', 'a@example.test\nb@example.test'],
    ['a header after it', 'a@example.test\r\nBcc: b@example.test'],
    ['a header before its domain', 'a\r\nBcc: b@example.test'],
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
    ['a local part of 65', `${'a'.repeat(65)}@example.test`],
    [
      '255 characters',
      `a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(68)}.test`,
    ],
  ])('is not %s', (_what, given) => {
    expect(readAddress(given)).toBeNull();
  });

  it('is read again as what it was read as', () => {
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

  it('never throws, and never gives a line, a space or a second @', () => {
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
