/** Makes untrusted text printable: no invisible characters, none that change the direction. */

import { isJoiner, levelsOf, mirrored } from './bidi.ts';

/**
 * Scripts that need separate fonts: `latin` includes Greek and Cyrillic, `drawn` is Chinese and
 * similar.
 */
export type Script = 'latin' | 'devanagari' | 'arabic' | 'hebrew' | 'thai' | 'drawn';

/** Returns the font with a glyph for a character; null if none has one. */
export type Coverage = (char: string) => Script | null;

/** Maximum marks per letter: Vietnamese and pointed Arabic need two, these scripts three. */
const marksMax = (mark: string): number =>
  /[\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}]/u.test(mark) ? 3 : 2;

/** Characters of one font and one direction, in reading order. */
export interface Run {
  readonly text: string;
  readonly script: Script;
  readonly isRightToLeft: boolean;
}

/**
 * Returns one line of characters that all have glyphs. Line breaks and tabs become blanks. Some
 * characters become their code point, `[U+202E]`: control, format, direction and other invisible
 * characters, those without a glyph, and marks beyond the limit. An emoji becomes `[emoji]`. A
 * variation selector after a shown character is removed. Never throws.
 */
export function sanitizeText(text: string, coverage: Coverage): string {
  const plain = text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\t\n\r\v\f\u0085]+/g, ' ');
  let marks = 0;
  let before: string | undefined;
  const written: string[] = [];
  for (const char of withoutEmoji(plain, coverage)) {
    marks = /\p{M}/u.test(char) ? marks + 1 : 0;
    written.push(marks > marksMax(char) ? codePoint(char) : shown(char, before, coverage));
    before = char;
  }
  return written.join('');
}

function shown(char: string, before: string | undefined, coverage: Coverage): string {
  if (/\p{Zs}/u.test(char)) return ' ';
  if (isJoiner(char) && before !== undefined && isJoined(before)) return char;
  if (isSelector(char) && before !== undefined && isShown(before, coverage)) return '';
  if (/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(char)) return codePoint(char);
  return coverage(char) === null ? codePoint(char) : char;
}

/** One emoji with all its parts (UTS 51 §1.4.9), but not every combination of them. */
const emoji = new RegExp(
  [
    String.raw`\p{RI}\p{RI}`,
    String.raw`[0-9#*]\ufe0f?\u20e3`,
    String.raw`\u{1f3f4}[\u{e0061}-\u{e007a}]{1,6}\u{e007f}`,
    String.raw`\p{ExtPict}(?:\p{EMod}|\ufe0f)?(?:\u200d\p{ExtPict}(?:\p{EMod}|\ufe0f)?)*`,
    String.raw`\p{RI}`,
    String.raw`\p{EMod}`,
  ].join('|'),
  'gu',
);

/** No font here has glyphs for emoji, and code points would mean nothing to a reader. */
function withoutEmoji(text: string, coverage: Coverage): string {
  return text.replaceAll(emoji, (sequence) => {
    const [first = '', ...rest] = sequence;
    const isLetter = coverage(first) !== null && rest.every(isSelector);
    return isLetter ? first : '[emoji]';
  });
}

/** A variation selector chooses a form of the previous character; the plain form is shown. */
const isSelector = (char: string): boolean => /^[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]$/u.test(char);
const isShown = (char: string, coverage: Coverage): boolean =>
  !isSelector(char) && coverage(char) !== null;

/** Returns the fonts that a text needs, after composition. */
export function scriptsIn(text: string, coverage: Coverage): ReadonlySet<Script> {
  const chars = new Set(text.normalize('NFC'));
  return new Set([...chars].flatMap((char) => coverage(char) ?? []));
}

/** Returns U+674E as `[U+674E]`. */
export function codePoint(char: string): string {
  const point = char.codePointAt(0) ?? 0;
  return `[U+${point.toString(16).toUpperCase().padStart(4, '0')}]`;
}

/** A run with its level in the line. */
interface Piece extends Run {
  readonly level: number;
}

/**
 * Splits a sanitized text into runs and puts them in visual order, left to right (Unicode
 * bidirectional algorithm, UAX 9, L2 and L4). A right-to-left word is one run, in reading order;
 * text between such words is split into characters.
 */
export function visualRuns(text: string, coverage: Coverage): Run[] {
  const pieces = turned(turned(piecesOf(text, coverage), 2), 1);
  return pieces.map(({ level: _level, ...run }) => run);
}

/** Reverses each stretch of this level or a higher one. */
function turned(pieces: readonly Piece[], level: number): Piece[] {
  const found: Piece[] = [];
  let stretch: Piece[] = [];
  for (const piece of pieces) {
    if (piece.level >= level) stretch.push(piece);
    else {
      found.push(...stretch.toReversed(), piece);
      stretch = [];
    }
  }
  return [...found, ...stretch.toReversed()];
}

function piecesOf(text: string, coverage: Coverage): Piece[] {
  const chars = [...text];
  const pieces: Piece[] = [];
  for (const [at, level] of levelsOf(chars).entries()) {
    const char = chars[at] ?? '';
    const last = pieces.at(-1);
    const piece = pieceOf(char, level, last, coverage);
    if (last && doesGoOn(last, piece, char)) {
      pieces[pieces.length - 1] = { ...last, text: last.text + char };
    } else pieces.push(piece);
  }
  return pieces;
}

function pieceOf(char: string, level: number, last: Piece | undefined, coverage: Coverage): Piece {
  if (level === 1 && (isRightToLeft(char) || (isJoiner(char) && last?.isRightToLeft === true))) {
    const script = isJoiner(char) && last ? last.script : isArabic(char) ? 'arabic' : 'hebrew';
    return { text: char, script, isRightToLeft: true, level };
  }
  const text = level === 1 ? mirrored(char) : char;
  const script = isJoiner(char) && last ? last.script : scriptOf(char, coverage);
  return { text, script, isRightToLeft: false, level };
}

/** Whether a character continues the last piece. Marks stay with their letter. */
function doesGoOn(last: Piece, piece: Piece, char: string): boolean {
  const isAlike = last.script === piece.script && last.level === piece.level;
  const isWord = last.isRightToLeft === piece.isRightToLeft;
  return isAlike && isWord && (piece.isRightToLeft || piece.level !== 1 || /\p{M}/u.test(char));
}

const arabicLetter = String.raw`[[\p{Script=Arabic}--\p{N}]\u064b-\u065f\u0670]`;
const anyLetter = String.raw`[${arabicLetter}\p{Script=Hebrew}]`;
const scriptOf = (char: string, coverage: Coverage): Script => coverage(char) ?? 'latin';
const arabicStart = new RegExp(`^${arabicLetter}`, 'v');
const isArabic = (text: string): boolean => arabicStart.test(text);
const rightToLeftStart = new RegExp(`^${anyLetter}`, 'v');
const isRightToLeft = (text: string): boolean => rightToLeftStart.test(text);
const isJoined = (before: string): boolean => isArabic(before) || isDevanagari(before);
export const isDevanagari = (char: string): boolean => /\p{Script=Devanagari}/u.test(char);
