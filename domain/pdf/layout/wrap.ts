import type { Fonts } from './fonts.ts';
import type { Style } from './sheet.ts';

const moreSign = '… in full in affidavit.json';

/**
 * Breaks a text into clean lines no wider than the column; a wider word is cut. Text beyond
 * `linesMax` is only in the attachment, and the last line says so.
 */
export function wrap(
  fonts: Fonts,
  text: string,
  options: { readonly style: Style; readonly width: number; readonly linesMax: number },
): string[] {
  const { style, width, linesMax } = options;
  const widths = new Map<string, number>();
  const measure = (part: string): number => {
    const known = widths.get(part) ?? fonts.width(part, style.size, style.weight);
    widths.set(part, known);
    return known;
  };
  const blank = measure(' ');
  const lines: string[] = [];
  let line = '';
  let filled = 0;
  for (const word of fonts.clean(text).split(' ')) {
    for (const part of cutWord(word, measure, width)) {
      const partWidth = measure(part);
      if (line !== '' && filled + blank + partWidth > width) {
        lines.push(line);
        if (lines.length === linesMax) return [...lines.slice(0, -1), moreSign];
        line = '';
        filled = 0;
      }
      filled += line === '' ? partWidth : blank + partWidth;
      line = line === '' ? part : `${line} ${part}`;
    }
  }
  return [...lines, line];
}

/**
 * No column fits a word of this many characters, even if most are marks. It is cut without
 * measuring it as a whole.
 */
const wordLengthMax = 2_000;

/** A letter with its marks, which stay together. */
const clusters = /[^][\p{M}\u200c\u200d]*/gu;

/** Yields the word, or pieces of it that fit. Lazy: measures only the pieces that are consumed. */
function* cutWord(
  word: string,
  measure: (part: string) => number,
  width: number,
): Generator<string, void> {
  if (word.length <= wordLengthMax && measure(word) <= width) {
    yield word;
    return;
  }
  let part = '';
  let filled = 0;
  for (const [char] of word.matchAll(clusters)) {
    const charWidth = measure(char);
    if (part !== '' && filled + charWidth > width) {
      yield part;
      part = '';
      filled = 0;
    }
    part += char;
    filled += charWidth;
  }
  yield part;
}
