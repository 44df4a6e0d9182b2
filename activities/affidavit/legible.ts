/**
 * Text of strangers, made fit to be printed: nothing invisible, nothing that turns the line round.
 */

/** The code points a font has glyphs for. */
export interface Coverage {
  readonly latin: ReadonlySet<number>;
  readonly arabic: ReadonlySet<number>;
}

/** Marks that one letter may carry: Vietnamese and pointed Arabic need two. */
const marksMax = 2;

export type Script = 'latin' | 'arabic';

/** Characters of one font and one direction, in reading order. */
export interface Run {
  readonly text: string;
  readonly script: Script;
  readonly isRightToLeft: boolean;
}

/**
 * One line of characters that all have glyphs. Line breaks and tabs become blanks; a control,
 * format, direction or otherwise invisible character, one that no font has, and a mark on top of
 * too many marks stand as their code point, `[U+202E]`. Never throws.
 */
export function legible(text: string, coverage: Coverage): string {
  const plain = text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\t\n\r\v\f\u0085]+/g, ' ');
  let marks = 0;
  let before: string | undefined;
  const written: string[] = [];
  for (const char of plain) {
    marks = /\p{M}/u.test(char) ? marks + 1 : 0;
    written.push(marks > marksMax ? codePoint(char) : shown(char, before, coverage));
    before = char;
  }
  return written.join('');
}

function shown(char: string, before: string | undefined, coverage: Coverage): string {
  if (/\p{Zs}/u.test(char)) return ' ';
  if (isJoiner(char) && before !== undefined && isArabic(before)) return char;
  if (/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(char)) return codePoint(char);
  return hasGlyph(char, coverage) ? char : codePoint(char);
}

/** Whether a text has characters of the Arabic font alone, after they are composed. */
export function isArabicNeeded(text: string, { latin, arabic }: Coverage): boolean {
  const points = [...text.normalize('NFC')].map((char) => char.codePointAt(0) ?? 0);
  return points.some((point) => !latin.has(point) && arabic.has(point));
}

/** U+674E as `[U+674E]`. */
export function codePoint(char: string): string {
  const point = char.codePointAt(0) ?? 0;
  return `[U+${point.toString(16).toUpperCase().padStart(4, '0')}]`;
}

/**
 * Cuts a legible text into runs and puts them in the order they stand in on paper, left to right
 * (Unicode bidirectional algorithm in a left-to-right paragraph, as far as Arabic script needs it:
 * words run from right to left, numbers between them from left to right).
 */
export function visualRuns(text: string, coverage: Coverage): Run[] {
  return segmentsOf(text).flatMap((segment) =>
    isArabic(segment)
      ? rightToLeft(segment, coverage).toReversed()
      : leftToRight(segment, coverage),
  );
}

/** A bracket that was opened among Arabic words is closed there (UAX 9, rule N0). */
function segmentsOf(text: string): string[] {
  const found: string[] = [];
  for (const [segment] of text.matchAll(segments)) {
    const last = found.at(-1);
    const [closer] = segment;
    if (last && closer && isArabic(last) && isOpenFor(last, closer)) {
      found[found.length - 1] = last + closer;
      if (segment.length > closer.length) found.push(segment.slice(closer.length));
    } else found.push(segment);
  }
  return found;
}

function isOpenFor(text: string, closer: string): boolean {
  const opener = brackets[closer];
  return (
    opener !== undefined &&
    closers.has(closer) &&
    text.lastIndexOf(opener) > text.lastIndexOf(closer)
  );
}

const brackets: Readonly<Record<string, string>> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '{': '}',
  '}': '{',
  '«': '»',
  '»': '«',
};
const closers = new Set([')', ']', '}', '»']);

const arabicLetter = String.raw`[[\p{Script=Arabic}--\p{N}]\u064b-\u065f\u0670\u200c\u200d]`;
const between = String.raw`[\p{Zs}\p{N}\p{P}\p{S}]`;
/** Arabic from the first to the last of its words, whatever lies between them; or anything else. */
const segments = new RegExp(
  `${arabicLetter}+(?:${between}+${arabicLetter}+)*|(?:(?!${arabicLetter})[^])+`,
  'gv',
);
const arabicParts = new RegExp(`${arabicLetter}+|[^]`, 'gv');

function rightToLeft(segment: string, coverage: Coverage): Run[] {
  const runs: Run[] = [];
  for (const [part] of segment.matchAll(arabicParts)) {
    const last = runs.at(-1);
    if (isArabic(part)) runs.push({ text: part, script: 'arabic', isRightToLeft: true });
    else if (last && isNumeral(last.text) && isNumeral(part)) {
      runs[runs.length - 1] = { ...last, text: last.text + part };
    } else {
      const mirrored = brackets[part] ?? part;
      runs.push({ text: mirrored, script: scriptOf(part, coverage), isRightToLeft: false });
    }
  }
  return runs;
}

function leftToRight(segment: string, coverage: Coverage): Run[] {
  const runs: Run[] = [];
  for (const char of segment) {
    const script = scriptOf(char, coverage);
    const last = runs.at(-1);
    if (last?.script === script) runs[runs.length - 1] = { ...last, text: last.text + char };
    else runs.push({ text: char, script, isRightToLeft: false });
  }
  return runs;
}

const scriptOf = (char: string, { latin }: Coverage): Script =>
  latin.has(char.codePointAt(0) ?? 0) ? 'latin' : 'arabic';
const isNumeral = (text: string): boolean => /^[\p{N}.,:٫٬/-]+$/u.test(text);
const arabicStart = new RegExp(`^${arabicLetter}`, 'v');
const isArabic = (text: string): boolean => arabicStart.test(text);
const isJoiner = (char: string): boolean => char === '\u200c' || char === '\u200d';

function hasGlyph(char: string, { latin, arabic }: Coverage): boolean {
  const point = char.codePointAt(0) ?? 0;
  return latin.has(point) || arabic.has(point);
}
