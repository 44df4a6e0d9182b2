import type { DocumentFields } from './fields.ts';
import type { SideReading } from './reading.ts';

export type PrintedField =
  | 'document_number'
  | 'surname'
  | 'given_names'
  | 'date_of_birth'
  | 'expires_on'
  | 'sex'
  | 'issued_on';

/** Which fields the print of a document contains. */
export interface InPrint {
  readonly found: readonly PrintedField[];
  /** Not found, possibly because of the reader. */
  readonly missing: readonly PrintedField[];
  /** Fields with a different value beside their label. */
  readonly differing: readonly PrintedField[];
}

/**
 * Looks for the fields of a document among the words printed on a side, however they are spaced.
 * Returns null if the words were not read or there are none.
 */
export function lookInPrint(fields: DocumentFields, side: SideReading): InPrint | null {
  // The zone itself is also print and must not confirm itself.
  const words = side.words.filter((word) => !word.includes('<') && word.length < 30);
  if (words.length === 0) return null;
  const text = folded(words.join(' '));
  const whole = new Set(words.flatMap((word) => word.split(/[^\p{L}\p{N}]+/u)).map(folded));
  const has = (value: string): boolean => {
    const sought = folded(value);
    // Two letters occur in almost any text, so a short name must be a word of its own.
    return sought.length > 2 ? text.includes(sought) : sought !== '' && whole.has(sought);
  };
  const hasDay = (day: string | null): boolean =>
    day !== null && spellingsOf(day).some((spelt) => text.includes(folded(spelt)));
  const [first = ''] = fields.givenNames.split(' ');
  const sex = /^[FM]$/.test(fields.sex) ? sexIn(words) : null;
  const looked = [
    ['document_number', has(fields.documentNumber)],
    ['surname', has(fields.surname)],
    ['date_of_birth', hasDay(fields.birthDate)],
    ['expires_on', hasDay(fields.expiryDate)],
    ...(first === '' ? [] : ([['given_names', has(first)]] as const)),
    ...(sex === null ? [] : ([['sex', sex === fields.sex]] as const)),
    ...(fields.issueDate === null ? [] : ([['issued_on', hasDay(fields.issueDate)]] as const)),
  ] as const;
  const of = (isFound: boolean) =>
    looked.flatMap(([name, found]) => (found === isFound ? [name] : []));
  const differing = of(false).filter((name) => name === 'sex');
  return { found: of(true), missing: of(false).filter((name) => name !== 'sex'), differing };
}

/** Returns the letter beside its label; null if there is none, or two that differ. */
function sexIn(words: readonly string[]): string | null {
  const text = words.join(' ').toUpperCase();
  const found = [...text.matchAll(/\bSEXE?(?:\s*\/\s*SEXE?)?[\s:.]*\b([FM])(?![\p{L}\p{N}])/gu)];
  const letters = new Set(found.map(([, letter]) => letter));
  const [letter] = letters;
  return letters.size === 1 && letter ? letter : null;
}

const months = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');

function spellingsOf(day: string): string[] {
  const [year = '', month = '', date = ''] = day.split('-');
  const name = months[Number(month) - 1] ?? '';
  const numbers = [
    `${month}${date}${year}`,
    `${date}${month}${year}`,
    `${year}${month}${date}`,
    `${date}${month}${year.slice(2)}`,
  ];
  return [...numbers, `${date}${name}${year}`, `${date}${name}${year.slice(2)}`];
}

/** Maps look-alike characters to one; removes accents, spaces and punctuation. */
export const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
    .replaceAll(/[OQ]/g, '0')
    .replaceAll(/[IL]/g, '1')
    .replaceAll('Z', '2')
    .replaceAll('S', '5')
    .replaceAll('B', '8')
    .replaceAll('G', '6');
