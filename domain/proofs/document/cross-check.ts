import type { RuleAnswer } from '../verdict.ts';
import type { DocumentFields } from './fields.ts';
import { folded, type InPrint, type PrintedField } from './print.ts';

/** Fields that a card also has in print. */
const needed: readonly PrintedField[] = [
  'document_number',
  'surname',
  'given_names',
  'date_of_birth',
  'expires_on',
];

/** A single field can match by chance. */
const fieldsInFrontMin = 2;
/** Relatives who got their cards on the same day share the other two. */
const personal: readonly PrintedField[] = ['document_number', 'given_names', 'date_of_birth'];

/**
 * The front shows none of the fields: it is dark, or another card. The person can repeat the proof.
 */
const frontUnreadable = { fault: 'unreadable', detail: 'the front of the card' } as const;

const isSamePerson = (found: readonly PrintedField[]): boolean =>
  found.length >= fieldsInFrontMin && found.some((name) => personal.includes(name));

/**
 * Compares fields that the document has in several places.
 * - With a barcode alone, the print must say the same: only this finds a barcode copied onto
 *   another card. A different sex in print is one letter, read once: it only makes the result
 *   inconclusive.
 * - With an MRZ, print only confirms. It has too many fonts and languages for a miss to mean
 *   anything. But if nothing else binds the front to the zone behind it, the front may belong to
 *   another person.
 */
export function crossCheck(
  fields: DocumentFields,
  others: readonly DocumentFields[],
  print: InPrint | null,
  { isFrontBound }: { readonly isFrontBound: boolean },
): { readonly answer: RuleAnswer; readonly confirmed: readonly string[] } {
  const twice = others.flatMap((other) => differencesOf(fields, other));
  const inPrint = print?.found ?? [];
  const both: readonly string[] = others.length > 0 ? needed : inPrint;
  if (twice.length > 0) {
    return {
      answer: { fault: 'front_back_mismatch', detail: twice.join(', ') },
      confirmed: [],
    };
  }
  if (fields.source === 'mrz') {
    const found = inPrint.filter((name) => needed.includes(name));
    if (!isFrontBound && found.length === 0) return { answer: frontUnreadable, confirmed: [] };
    if (!isFrontBound && !isSamePerson(found)) {
      const answer = { unknown: 'front_back_mismatch', detail: 'the front of the card' } as const;
      return { answer, confirmed: [] };
    }
    const answer: RuleAnswer =
      both.length > 0 ? { ok: true, detail: both.join(', ') } : { skipped: 'not seen in print' };
    return { answer, confirmed: both };
  }
  return { answer: judgeFront(fields, print), confirmed: both };
}

/** Many issuers cut, shorten or omit middle names; few do so with the first name. */
const firstNameOf = ({ givenNames }: DocumentFields): string =>
  folded(givenNames.split(' ')[0] ?? '');

function judgeFront(fields: DocumentFields, print: InPrint | null): RuleAnswer {
  // A person with a single name has no given name in print.
  const wanted = needed.filter((name) => name !== 'given_names' || firstNameOf(fields) !== '');
  const found = print?.found ?? [];
  if (!wanted.some((name) => found.includes(name))) {
    return frontUnreadable;
  }
  const missing = wanted.filter((name) => !found.includes(name));
  if (missing.length > 0) return { fault: 'front_back_mismatch', detail: missing.join(', ') };
  return print?.differing.includes('sex')
    ? { unknown: 'front_back_mismatch', detail: 'sex' }
    : { ok: true, detail: found.join(', ') };
}

function differencesOf(one: DocumentFields, other: DocumentFields): string[] {
  const [first, otherFirst] = [firstNameOf(one), firstNameOf(other)];
  const areReported = [one.sex, other.sex].every((sex) => sex === 'F' || sex === 'M');
  const compared = {
    document_number: folded(one.documentNumber) === folded(other.documentNumber),
    surname: folded(one.surname) === folded(other.surname),
    date_of_birth: one.birthDate === other.birthDate,
    expires_on: one.expiryDate === other.expiryDate,
    // A short line may truncate it.
    given_names: first.startsWith(otherFirst) || otherFirst.startsWith(first),
    sex: !areReported || one.sex === other.sex,
    issuing_country: one.issuingCountry === other.issuingCountry,
    nationality: (one.nationality ?? other.nationality) === (other.nationality ?? one.nationality),
  };
  return Object.entries(compared).flatMap(([name, isSame]) => (isSame ? [] : [name]));
}
