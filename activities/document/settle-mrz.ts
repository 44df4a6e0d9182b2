import type { MrzFormat } from '../passport/mrz.ts';

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

/** Where the document number stands: the one field of letters and digits that a digit protects. */
const numberPlaces = { line: { TD1: 0, other: 1 }, start: { TD1: 5, other: 0 }, length: 9 };
const variantsMax = 64;

/**
 * The zone with O and 0 of its document number told apart by the check digits, which no shape of
 * OCR-B does for certain. Unchanged where they agree as read; null where more than one spelling
 * agrees.
 * @param isRight whether all check digits of a zone agree
 */
export function settleNumber(
  lines: readonly string[],
  format: MrzFormat,
  isRight: (lines: readonly string[]) => boolean,
): readonly string[] | null {
  const which = format === 'TD1' ? 'TD1' : 'other';
  const index = numberPlaces.line[which];
  const line = lines[index] ?? '';
  const start = numberPlaces.start[which];
  const number = line.slice(start, start + numberPlaces.length);
  const right = spellings(number)
    .map((spelt) =>
      lines.with(index, line.slice(0, start) + spelt + line.slice(start + numberPlaces.length)),
    )
    .filter(isRight);
  if (right.length > 1) return null;
  return right[0] ?? lines;
}

function spellings(number: string): string[] {
  let spelt = [''];
  for (const character of number) {
    const either = character === 'O' || character === '0' ? ['0', 'O'] : [character];
    spelt = spelt.flatMap((start) => either.map((end) => start + end));
    if (spelt.length > variantsMax) return [number];
  }
  return spelt;
}
