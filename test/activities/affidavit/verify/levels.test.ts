import { PDFDocument } from 'pdf-lib';
import { beforeAll, describe, expect, it } from 'vitest';
import { embedFonts } from '../../../../activities/pdf/fonts.ts';
import type { Fonts } from '../../../../domain/pdf/layout/fonts.ts';
import { visualRuns } from '../../../../domain/pdf/layout/text-sanitizer.ts';
import { levelsOf } from '../../../../domain/pdf/layout/bidi.ts';

const levels = (text: string): string => levelsOf([...text]).join('');

describe('levelsOf', () => {
  // A is an Arabic letter, H a Hebrew one, 3 and 4 Arabic digits.
  const letters: Readonly<Record<string, string>> = { A: 'ع', H: 'ש', '3': '٣', '4': '٤' };
  const spelled = (text: string): string =>
    text.replaceAll(/[AH34]/g, (letter) => letters[letter] ?? letter);

  const rules: Readonly<Record<string, string>> = {
    'W1: a mark is of its letter': 'ab\u0301 → 000',
    'W1: a mark on a letter from right to left': 'H\u05b8 A\u064b → 11111',
    'W2: a number after Arabic': 'A 12 → 1122',
    'W2: a number before Arabic': '12 A → 0001',
    'W4: a comma in a number, a date with strokes': 'H 1,2 1/2 → 112221222',
    'W4: a hyphen in a number after Hebrew': 'H 1-2 → 11222',
    'W4: none after Arabic: two numbers': 'A 1-2 → 11212',
    'W4: a comma between Arabic digits': 'A 3,4 → 11222',
    'W4: none between numbers of two kinds': 'H 1,3 → 11212',
    'W5: a sign at a number after Hebrew': 'H %12% → 112222',
    'W5: none after Arabic': 'A 12%a → 112200',
    'W6: a sign by itself': 'H % H → 11111',
    'W7: a number after Latin': 'H a 12 H → 10000001',
    'N0: brackets around Hebrew in Latin': 'a (H) b → 0001000',
    'N0: brackets around Hebrew after Hebrew': 'H (H) b → 1111100',
    'N0: brackets around both': 'H (a H) H → 100001001',
    'N0: brackets around a number after Hebrew': 'H (1) H → 1112111',
    'N0: brackets around nothing': 'H () a → 100000',
    'N0: one that is not closed': 'H (a → 1000',
    'N0: one of another kind': 'H (H] → 11110',
    'N0: wide brackets around a number after Hebrew': 'H （1） H → 1112111',
    'N1: blanks between Hebrew and a number': 'H - 1 → 11112',
    'N2: blanks between Hebrew and Latin': 'H - a → 10000',
    'L1: a blank at the end': 'H  → 10',
    'digits of Arabic alone': '3 4 → 212',
    nothing: ' → ',
  };

  it.each(Object.entries(rules))('%s', (_rule, told) => {
    const [text = '', expected] = told.split(' → ');
    expect(levels(spelled(text))).toBe(expected);
  });

  it('handles thousands of brackets in time', () => {
    for (const part of ['(ש', 'ש)', '(ש)', '([{ש}])', '(']) {
      const text = part.repeat(2_000);
      expect(levelsOf([...text])).toHaveLength([...text].length);
    }
  });
});

describe('a line of text on paper', () => {
  let fonts: Fonts;
  let drawn: (text: string) => string;
  beforeAll(async () => {
    const text = 'علي محمد שלום 0123456789 ٣٤ abUE ()[].,/-+%';
    fonts = await embedFonts(await PDFDocument.create(), text);
    const chars = new Map(
      Array.from('0123456789abUE()[].,/-+% ', (char) => {
        const [run] = fonts.runs(char, 'regular');
        return [`${run?.font} ${run?.set.glyphs[0]?.code}`, char] as const;
      }),
    );
    /** Returns the glyphs in pen order, with right-to-left words as spoken. */
    drawn = (line) => {
      let pen = 0;
      const placed = fonts.runs(line, 'regular').flatMap(({ font, set, spoken }) => {
        const from = pen;
        pen += set.width;
        if (spoken !== null) return [{ at: from, shown: spoken }];
        let at = from;
        return set.glyphs.map(({ code, before }) => {
          at += before;
          const shown = chars.get(`${font} ${code}`) ?? '?';
          const place = { at, shown };
          at += fonts.width(shown, 1000, 'regular');
          return place;
        });
      });
      const ordered = placed.toSorted((one, other) => one.at - other.at);
      expect(ordered).toEqual(placed);
      return ordered.map(({ shown }) => shown).join('');
    };
  });

  /** Texts in reading order, and as drawn from left to right. */
  const lines: Readonly<Record<string, string>> = {
    'علي 12': '12 علي',
    'علي 12 محمد 34': '34 محمد 12 علي',
    'ab علي 12, ab': 'ab 12 علي, ab',
    'علي 1.5': '1.5 علي',
    'علي 12/34': '12/34 علي',
    'علي 12-34': '34-12 علي',
    'שלום 12-34': '12-34 שלום',
    'שלום 12%': '12% שלום',
    '12 علي': '12 علي',
    'علي (12)': '(12) علي',
    'علي (محمد) 12': '12 (محمد) علي',
    'ab 12 (علي)': 'ab 12 (علي)',
    'علي [U+202E]': 'علي [U+202E]',
  };

  it.each(Object.entries(lines))('%s', (line, expected) => {
    expect(drawn(line)).toBe(expected);
  });

  it('contains each character exactly once', () => {
    const some = ['ع', 'ש', 'a', '1', '٣', ' ', '(', ')', '-', ',', '%', '\u0301', '\u200d'];
    const coverage = (char: string) => (/[\u0600-\u06ff]/.test(char) ? 'arabic' : 'latin');
    const mirrored = (text: string): string => text.replaceAll(/[()]/g, '|');
    for (let seed = 0; seed < 3_000; seed += 1) {
      const chars = Array.from({ length: 7 }, (_, at) => some[(seed * (at + 3) * 31 + at) % 13]);
      const runs = visualRuns(chars.join(''), coverage).map(({ text }) => text);
      const sorted = (text: string): string[] => [...mirrored(text)].toSorted();
      expect(sorted(runs.join(''))).toEqual(sorted(chars.join('')));
    }
  });
});
