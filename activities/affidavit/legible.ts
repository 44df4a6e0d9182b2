/**
 * Text of strangers, made fit to be printed: nothing invisible, nothing that turns the line round.
 */

/** What fonts are told apart by: `latin` has Greek and Cyrillic, `drawn` is Chinese and such. */
export type Script = 'latin' | 'devanagari' | 'arabic' | 'hebrew' | 'thai' | 'drawn';

/** The font that has a glyph for a character; null where none has. */
export type Coverage = (char: string) => Script | null;

/** Marks that one letter may carry: Vietnamese and pointed Arabic need two, these scripts three. */
const marksMax = (mark: string): number =>
  /[\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}]/u.test(mark) ? 3 : 2;

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
    written.push(marks > marksMax(char) ? codePoint(char) : shown(char, before, coverage));
    before = char;
  }
  return written.join('');
}

function shown(char: string, before: string | undefined, coverage: Coverage): string {
  if (/\p{Zs}/u.test(char)) return ' ';
  if (isJoiner(char) && before !== undefined && isJoined(before)) return char;
  if (/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(char)) return codePoint(char);
  return coverage(char) === null ? codePoint(char) : char;
}

/** The fonts that a text needs, after it is composed. */
export function scriptsIn(text: string, coverage: Coverage): ReadonlySet<Script> {
  const chars = new Set(text.normalize('NFC'));
  return new Set([...chars].flatMap((char) => coverage(char) ?? []));
}

/** U+674E as `[U+674E]`. */
export function codePoint(char: string): string {
  const point = char.codePointAt(0) ?? 0;
  return `[U+${point.toString(16).toUpperCase().padStart(4, '0')}]`;
}

/**
 * Cuts a legible text into runs and puts them in the order they stand in on paper, left to right
 * (Unicode bidirectional algorithm in a left-to-right paragraph, as far as Arabic and Hebrew need
 * it: words run from right to left, numbers between them from left to right).
 */
export function visualRuns(text: string, coverage: Coverage): Run[] {
  return segmentsOf(text).flatMap((segment) =>
    isRightToLeft(segment)
      ? rightToLeft(segment, coverage).toReversed()
      : leftToRight(segment, coverage),
  );
}

/** A bracket that was opened among such words is closed there (UAX 9, rule N0). */
function segmentsOf(text: string): string[] {
  const found: string[] = [];
  for (const segment of [...text.matchAll(segments)].flatMap(([each]) => partedAtClosers(each))) {
    const last = found.at(-1);
    const [closer] = segment;
    if (last && closer && isRightToLeft(last) && isOpenFor(last, closer)) {
      found[found.length - 1] = last + closer;
      if (segment.length > closer.length) found.push(segment.slice(closer.length));
    } else found.push(segment);
  }
  return found;
}

/** What was opened before the words from right to left is closed after them, not among them. */
function partedAtClosers(segment: string): string[] {
  if (!isRightToLeft(segment)) return [segment];
  const found: string[] = [];
  let rest = '';
  for (const char of segment) {
    if (closers.has(char) && !isOpenFor(rest, char)) {
      found.push(rest, char);
      rest = '';
    } else rest += char;
  }
  return [...found, rest].filter((part) => part !== '');
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

const arabicLetter = String.raw`[[\p{Script=Arabic}--\p{N}]\u064b-\u065f\u0670]`;
const hebrewLetter = String.raw`\p{Script=Hebrew}`;
const joiner = String.raw`\u200c\u200d`;
const anyLetter = `[${arabicLetter}${hebrewLetter}]`;
const word = `${anyLetter}[${anyLetter}${joiner}]*`;
const between = String.raw`[\p{Zs}\p{N}\p{P}\p{S}]`;
/** From the first to the last word from right to left, with what is between; or anything else. */
const segments = new RegExp(`${word}(?:${between}+${word})*|(?:(?!${anyLetter})[^])+`, 'gv');
const parts = new RegExp(
  `${arabicLetter}[${arabicLetter}${joiner}]*|${hebrewLetter}[${hebrewLetter}${joiner}]*|[^]`,
  'gv',
);

function rightToLeft(segment: string, coverage: Coverage): Run[] {
  const runs: Run[] = [];
  for (const [part] of segment.matchAll(parts)) {
    const last = runs.at(-1);
    if (isRightToLeft(part)) {
      const script = isArabic(part) ? 'arabic' : 'hebrew';
      runs.push({ text: part, script, isRightToLeft: true });
    } else if (last && isNumeral(last.text) && isNumeral(part)) {
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
    const last = runs.at(-1);
    const script = isJoiner(char) && last ? last.script : scriptOf(char, coverage);
    if (last?.script === script) runs[runs.length - 1] = { ...last, text: last.text + char };
    else runs.push({ text: char, script, isRightToLeft: false });
  }
  return runs;
}

const scriptOf = (char: string, coverage: Coverage): Script => coverage(char) ?? 'latin';
const isNumeral = (text: string): boolean => /^[\p{N}.,:٫٬/-]+$/u.test(text);
const arabicStart = new RegExp(`^${arabicLetter}`, 'v');
const isArabic = (text: string): boolean => arabicStart.test(text);
const rightToLeftStart = new RegExp(`^${anyLetter}`, 'v');
const isRightToLeft = (text: string): boolean => rightToLeftStart.test(text);
const isJoiner = (char: string): boolean => char === '\u200c' || char === '\u200d';
const isJoined = (before: string): boolean => isArabic(before) || isDevanagari(before);
export const isDevanagari = (char: string): boolean => /\p{Script=Devanagari}/u.test(char);
