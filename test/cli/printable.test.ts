import { describe, expect, it } from 'vitest';
import { printable, printableJson } from '../../cli/printable.ts';
import { hostileTexts } from '../activities/affidavit/contents.ts';

const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

describe('text of strangers on a terminal', () => {
  it.each(Object.keys(hostileTexts))('is one line that shows what it is: %s', (name) => {
    const shown = printable(hostileTexts[name] ?? '');
    expect(shown).not.toMatch(unseen);
    expect(shown.length).toBeLessThan(10_100);
  });

  it('has code points for what cannot be seen', () => {
    expect(printable('a\u001b[31mb\u009bc\u202ed\u{e0041}\n\ud800')).toBe(
      'a[U+001B][31mb[U+009B]c[U+202E]d[U+E0041][U+000A][U+D800]',
    );
    expect(printable('Öl für 李')).toBe('Öl für 李');
  });

  it.each(Object.keys(hostileTexts))('is the same value in JSON: %s', (name) => {
    const text = (hostileTexts[name] ?? '').toWellFormed();
    const value = { [text]: [text] };
    const json = printableJson(value);
    expect(JSON.parse(json)).toEqual(value);
    expect(json.replaceAll('\n', '')).not.toMatch(unseen);
  });
});
