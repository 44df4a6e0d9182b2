import type { MrzFormat } from '../mrz/mrz.ts';

/**
 * Kind of character at each position of a line: A a letter or filler, N a digit, D a digit or
 * filler, X any (ICAO 9303-4 to -7, data structure of the MRZ).
 */
const layouts: Readonly<Record<MrzFormat, readonly string[]>> = {
  TD1: [`AXAAA${'X'.repeat(9)}D${'X'.repeat(15)}`, `DDDDDDNADDDDDDNAAA${'X'.repeat(11)}N`, all(30)],
  TD2: [`AX${all(34)}`, `${'X'.repeat(9)}NAAADDDDDDNADDDDDDN${'X'.repeat(7)}N`],
  TD3: [all(44), `${'X'.repeat(9)}NAAADDDDDDNADDDDDDN${'X'.repeat(14)}DN`],
  'MRV-A': [all(44), `${'X'.repeat(9)}NAAADDDDDDNADDDDDDN${'X'.repeat(16)}`],
  'MRV-B': [all(36), `${'X'.repeat(9)}NAAADDDDDDNADDDDDDN${'X'.repeat(8)}`],
};

function all(count: number): string {
  return 'A'.repeat(count);
}

/** Returns the kind of character at each position of one line. */
export const kindsOf = (format: MrzFormat, index: number): readonly string[] => [
  ...(layouts[format][index] ?? ''),
];

/** Letters that look like a digit. Only the position decides which of the two was printed. */
const asLetter: Readonly<Record<string, string>> = {
  '0': 'O',
  '1': 'I',
  '2': 'Z',
  '4': 'A',
  '5': 'S',
  '6': 'G',
  '8': 'B',
};
const asDigit: Readonly<Record<string, string>> = {
  O: '0',
  Q: '0',
  D: '0',
  I: '1',
  L: '1',
  Z: '2',
  A: '4',
  S: '5',
  G: '6',
  B: '8',
};

/** By how many fillers a long run of them may be miscounted. */
const miscountMax = 3;
const runMin = 4;

/** Returns the format of a zone with lines of about these lengths; null for none. */
export function mrzFormatOf(lines: readonly string[]): MrzFormat | null {
  const [first = ''] = lines;
  const isAbout = (length: number): boolean =>
    lines.every((line) => Math.abs(line.length - length) <= miscountMax);
  if (lines.length === 3) return isAbout(30) ? 'TD1' : null;
  const isVisa = first.startsWith('V');
  if (isAbout(44)) return isVisa ? 'MRV-A' : 'TD3';
  if (isAbout(36)) return isVisa ? 'MRV-B' : 'TD2';
  return null;
}

/**
 * Returns one line as it must have been printed: corrects the count of a long run of fillers and
 * puts an allowed character at each position. Changes only what the position alone decides: where a
 * letter and a digit are both allowed, the read one stays. Null if it cannot be such a line.
 */
export function settleLine(read: string, format: MrzFormat, index: number): string | null {
  const layout = layouts[format][index];
  const line = layout === undefined ? null : ofLength(read, layout.length);
  if (!layout || line === null) return null;
  let settled = '';
  for (const [place, kind] of [...layout].entries()) {
    const character = placed(line[place] ?? '', kind);
    if (character === null) return null;
    settled += character;
  }
  return settled;
}

function placed(read: string, kind: string): string | null {
  if (kind === 'X') return read;
  if (kind === 'A') {
    const letter = asLetter[read] ?? read;
    return /[A-Z<]/.test(letter) ? letter : null;
  }
  const digit = asDigit[read] ?? read;
  return (kind === 'D' ? /[0-9<]/ : /[0-9]/).test(digit) ? digit : null;
}

/** Corrects the count of fillers in the longest run; text on both sides of it stays unchanged. */
function ofLength(read: string, length: number): string | null {
  const more = length - read.length;
  if (more === 0) return read;
  if (Math.abs(more) > miscountMax) return null;
  const runs = [...read.matchAll(/<{4,}/g)].toSorted(
    (one, other) => other[0].length - one[0].length,
  );
  const [longest] = runs;
  if (!longest || longest[0].length + more < runMin) return null;
  const at = longest.index;
  const run = '<'.repeat(longest[0].length + more);
  return read.slice(0, at) + run + read.slice(at + longest[0].length);
}

/** Two readings of one line; every line of a zone has both. */
export interface LineReadings {
  readonly one: string;
  readonly other: string;
}

const variantsMax = 256;

/**
 * Merges two readings of a zone. Where they differ, and between O and 0, which OCR-B shapes do not
 * distinguish reliably, the check digits decide: the only spelling with which all of them agree.
 * Returns null if no spelling agrees, or several do. If the readings are identical, returns them
 * unchanged, right or not.
 * @param isRight whether the check digits and codes of a zone are right
 */
export function settleZone(
  readings: readonly LineReadings[],
  format: MrzFormat,
  isRight: (lines: readonly string[]) => boolean,
): readonly string[] | null {
  const asRead = readings.map(({ one }) => one);
  let spelt: readonly string[][] = [[]];
  for (const [index, { one, other }] of readings.entries()) {
    const spellings = spellingsOf(one, other, kindsOf(format, index));
    if (spellings.length * spelt.length > variantsMax) return null;
    spelt = spelt.flatMap((lines) => spellings.map((line) => [...lines, line]));
  }
  const right = spelt.filter(isRight);
  if (right.length > 0) return right.length === 1 ? (right[0] ?? null) : null;
  const isAgreed = readings.every(({ one, other }) => one === other);
  return isAgreed ? asRead : null;
}

/** Returns every line that combines the characters of both readings, position by position. */
function spellingsOf(one: string, other: string, kinds: readonly string[]): string[] {
  let spelt = [''];
  for (const [place, kind] of kinds.entries()) {
    const characters = new Set([one[place] ?? '', other[place] ?? '']);
    const isRound = characters.has('O') || characters.has('0');
    if (kind === 'X' && isRound) characters.add('O').add('0');
    spelt = spelt.flatMap((start) => [...characters].map((end) => start + end));
    if (spelt.length > variantsMax) return spelt;
  }
  return spelt;
}
