import type { MrzFormat } from '../mrz/mrz.ts';

/**
 * What may stand at each place of a line: A a letter or filler, N a digit, D a digit or filler, X
 * any (ICAO 9303-4 to -7, data structure of the MRZ).
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

/** What may stand at each place of one line of such a zone. */
export const kindsOf = (format: MrzFormat, index: number): readonly string[] => [
  ...(layouts[format][index] ?? ''),
];

/** Shapes that are told apart by place alone: what looks like a digit where a letter has to be. */
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

/** By how many fillers a long run of them may have been miscounted. */
const miscountMax = 3;
const runMin = 4;

/** What a zone of lines of about these lengths is; null for none. */
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
 * One line as it has to have been printed: the count of a long run of fillers set right, each place
 * holding what its layout allows. Only what place alone decides is changed: a letter where either
 * may stand stays what was read. Null when it cannot be such a line.
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

/** Fillers in a long run are miscounted; what stands left and right of them is not touched. */
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
 * The zone as both readers have it. Where they differ, and between O and 0, which no shape of OCR-B
 * tells for certain, the check digits decide: the one spelling with which all of them agree. Null
 * where no spelling agrees, or more than one does. Where the readers do not differ at all the zone
 * is what they read, right or not.
 * @param isRight whether check digits and codes of a zone are right
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

/** Every line that can be put together of what either reader has at each place. */
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
