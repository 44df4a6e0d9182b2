import type { RuleAnswer } from '../evidence/verdict.ts';
import type { SideReading } from './read.ts';
import type { DocumentFields } from './fields.ts';

/** Which fields are found in print as well; null where nobody looked or nothing was read. */
export type PrintedFields = Readonly<Record<ComparedField, boolean>> | null;

type ComparedField = 'document_number' | 'surname' | 'given_names' | 'date_of_birth' | 'expires_on';

/**
 * Fields that stand more than once have to agree. A card that is known by its barcode alone has to
 * say the same in print: whoever copies a barcode onto another card is found by nothing else. What
 * of an MRZ document is found in print confirms it; its fonts and languages are too many for a miss
 * to mean anything.
 */
export function crossCheck(
  fields: DocumentFields,
  others: readonly DocumentFields[],
  printed: PrintedFields,
): { readonly answer: RuleAnswer; readonly confirmed: readonly string[] } {
  const twice = others.flatMap((other) => differencesOf(fields, other));
  const inPrint = comparedFields.filter((name) => printed?.[name]);
  const both = others.length > 0 ? comparedFields : inPrint;
  if (twice.length > 0) {
    return {
      answer: { fault: 'front_back_mismatch', detail: twice.join(', ') },
      confirmed: [],
    };
  }
  if (fields.source === 'mrz') {
    const answer: RuleAnswer =
      both.length > 0 ? { ok: true, detail: both.join(', ') } : { skipped: 'not seen in print' };
    return { answer, confirmed: both };
  }
  // Who has one name alone has no other to be printed.
  const needed = comparedFields.filter((name) => name !== 'given_names' || firstOf(fields) !== '');
  return { answer: judgeFront(inPrint, needed), confirmed: both };
}

function judgeFront(
  inPrint: readonly ComparedField[],
  needed: readonly ComparedField[],
): RuleAnswer {
  if (inPrint.length === 0) return { fault: 'unreadable', detail: 'the front of the card' };
  const missing = needed.filter((name) => !inPrint.includes(name));
  return missing.length > 0
    ? { fault: 'front_back_mismatch', detail: missing.join(', ') }
    : { ok: true, detail: inPrint.join(', ') };
}

const comparedFields: readonly ComparedField[] = [
  'document_number',
  'surname',
  'given_names',
  'date_of_birth',
  'expires_on',
];

/** Middle names are cut, shortened or left out by many issuers, the first one is by few. */
const firstOf = ({ givenNames }: DocumentFields): string => folded(givenNames.split(' ')[0] ?? '');

function differencesOf(one: DocumentFields, other: DocumentFields): string[] {
  const [first, otherFirst] = [firstOf(one), firstOf(other)];
  const areTold = [one.sex, other.sex].every((sex) => sex === 'F' || sex === 'M');
  const compared = {
    document_number: folded(one.documentNumber) === folded(other.documentNumber),
    surname: folded(one.surname) === folded(other.surname),
    // A short line may have cut it.
    given_names: first.startsWith(otherFirst) || otherFirst.startsWith(first),
    date_of_birth: one.birthDate === other.birthDate,
    expires_on: one.expiryDate === other.expiryDate,
    sex: !areTold || one.sex === other.sex,
    issuing_country: one.issuingCountry === other.issuingCountry,
    nationality: (one.nationality ?? other.nationality) === (other.nationality ?? one.nationality),
  };
  return Object.entries(compared).flatMap(([name, isSame]) => (isSame ? [] : [name]));
}

/** Looks for the fields among the words printed on a side, however they are spaced. */
export function printedFieldsOf(fields: DocumentFields, side: SideReading): PrintedFields {
  // The zone itself is print, too, and says nothing a second time.
  const words = side.words.filter((word) => !word.includes('<') && word.length < 30);
  if (words.length === 0) return null;
  const text = folded(words.join(' '));
  const whole = new Set(words.flatMap((word) => word.split(/[^\p{L}\p{N}]+/u)).map(folded));
  const has = (value: string): boolean => {
    const sought = folded(value);
    // Two letters stand somewhere in any text: a short name has to be a word of its own.
    return sought.length > 2 ? text.includes(sought) : sought !== '' && whole.has(sought);
  };
  const hasDay = (day: string | null): boolean =>
    day !== null && spellingsOf(day).some((spelt) => text.includes(folded(spelt)));
  return {
    document_number: has(fields.documentNumber),
    surname: has(fields.surname),
    given_names: has(fields.givenNames.split(' ')[0] ?? ''),
    date_of_birth: hasDay(fields.birthDate),
    expires_on: hasDay(fields.expiryDate),
  };
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

/** Shapes that print cannot tell apart are one; accents, spaces and marks are none. */
const folded = (text: string): string =>
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
