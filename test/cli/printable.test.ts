import { describe, expect, it } from 'vitest';
import { printable, printableJson } from '../../cli/command-line/printable.ts';
import { hostileTexts } from '../support/fixtures/affidavits/contents.ts';

const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

describe('untrusted text on a terminal', () => {
  it.each(Object.keys(hostileTexts))(
    'is printed in one line without invisible characters: %s',
    (name) => {
      const shown = printable(hostileTexts[name] ?? '');
      expect(shown).not.toMatch(unseen);
      expect(shown.length).toBeLessThan(10_100);
    },
  );

  it('is printed with code points in place of invisible characters', () => {
    expect(printable('a\u001b[31mb\u009bc\u202ed\u{e0041}\n\ud800')).toBe(
      'a[U+001B][31mb[U+009B]c[U+202E]d[U+E0041][U+000A][U+D800]',
    );
    expect(printable('Öl für 李')).toBe('Öl für 李');
  });

  it('is printed without code points for parts of emoji and variation selectors', () => {
    expect(printable('❤\ufe0f 👩\u{1f3fd}\u200d💻 ❤\ufe0f\u200d🔥')).toBe('❤ 👩🏽💻 ❤🔥');
    expect(printable('葛\u{e0100}城 \u{1f3f4}\u{e0067}\u{e0062}\u{e007f}')).toBe('葛城 🏴');
    expect(printable('\ufe0fa\ufe0f\ufe0f\u200db')).toBe('[U+FE0F]a[U+FE0F][U+200D]b');
  });

  it.each(Object.keys(hostileTexts))('keeps its value in JSON: %s', (name) => {
    const text = (hostileTexts[name] ?? '').toWellFormed();
    const value = { [text]: [text] };
    const json = printableJson(value);
    expect(JSON.parse(json)).toEqual(value);
    expect(json.replaceAll('\n', '')).not.toMatch(unseen);
  });
});
