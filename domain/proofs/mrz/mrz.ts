import { parse, type Details } from 'mrz';

export class MalformedMrz extends Error {
  override readonly name = 'MalformedMrz';
}

/** What stands in a machine readable zone, dates still as their six characters. */
export interface Mrz {
  readonly format: MrzFormat;
  /** `P`, `PD`, `ID`, …: the first two characters without filler. */
  readonly documentCode: string;
  readonly documentType: 'passport' | 'visa' | 'identity_card';
  readonly issuingState: string;
  readonly nationality: string;
  readonly surname: string;
  readonly givenNames: string;
  readonly documentNumber: string;
  readonly birthDate: string;
  readonly sex: 'F' | 'M' | 'X';
  readonly expiryDate: string;
  readonly optionalData: readonly string[];
  /** Fields whose check digit is wrong, in the order of the zone. */
  readonly wrongCheckDigits: readonly string[];
}

export type MrzFormat = 'TD1' | 'TD2' | 'TD3' | 'MRV-A' | 'MRV-B';

/** Lines and characters per line (ICAO 9303-4, -5, -6, -7). A visa has the size of TD3 or TD2. */
const sizes: Readonly<Record<string, { plain: MrzFormat; visa?: MrzFormat }>> = {
  '3x30': { plain: 'TD1' },
  '2x36': { plain: 'TD2', visa: 'MRV-B' },
  '2x44': { plain: 'TD3', visa: 'MRV-A' },
};

const documentCodes: Readonly<Record<MrzFormat, RegExp>> = {
  TD1: /^[ACI][A-UW-Z0-9<]$/,
  TD2: /^[ACI][A-UW-Z0-9<]$/,
  TD3: /^P[A-Z<]$/,
  'MRV-A': /^V[A-Z<]$/,
  'MRV-B': /^V[A-Z<]$/,
};

const checkDigitNames: Readonly<Record<string, string>> = {
  documentNumberCheckDigit: 'document_number',
  birthDateCheckDigit: 'date_of_birth',
  expirationDateCheckDigit: 'expires_on',
  personalNumberCheckDigit: 'personal_number',
  compositeCheckDigit: 'composite',
};

/** A visa ends in optional data where a passport has these (ICAO 9303-7). */
const notOnVisas: ReadonlySet<string> = new Set([
  'personalNumberCheckDigit',
  'compositeCheckDigit',
]);

/**
 * Reads the lines of an MRZ (TD1, TD2, TD3, visas). Check digits are judged, not required. State
 * codes are taken as they stand: the `mrz` package calls a whole zone invalid for a State it does
 * not list, and for every visa, so only its answers per field are used, and the document's class,
 * alphabet and names are checked here. Throws `MalformedMrz`.
 */
export function readMrz(lines: readonly string[]): Mrz {
  const format = formatOf(lines);
  const [first = ''] = lines;
  if (!documentCodes[format].test(first.slice(0, 2))) throw new MalformedMrz('document code');
  const { details } = parsed(lines);
  const raw = (name: string): string => rawField(lines, details, name);
  const [surname, givenNames] = namesOf(format === 'TD1' ? lines[2] : first.slice(5));
  const sex = raw('sex');
  if (!/^[MFX<]$/.test(sex)) throw new MalformedMrz('sex');
  const visa = format === 'MRV-A' || format === 'MRV-B';
  return {
    format,
    documentCode: clean(first.slice(0, 2)),
    documentType: visa ? 'visa' : format === 'TD3' ? 'passport' : 'identity_card',
    issuingState: clean(raw('issuingState')),
    nationality: clean(raw('nationality')),
    surname,
    givenNames,
    documentNumber: fieldOf(details, 'documentNumber')?.value ?? '',
    birthDate: raw('birthDate'),
    sex: sex === 'M' || sex === 'F' ? sex : 'X',
    expiryDate: raw('expirationDate'),
    optionalData: visa ? [clean(lines[1]?.slice(28) ?? '')] : optionalDataOf(details),
    wrongCheckDigits: wrongCheckDigits(details, visa),
  };
}

function formatOf(lines: readonly string[]): MrzFormat {
  const [first = ''] = lines;
  const size = sizes[`${lines.length}x${first.length}`];
  if (!size || lines.some((line) => line.length !== first.length)) {
    throw new MalformedMrz('number or length of lines');
  }
  if (!lines.every((line) => /^[A-Z0-9<]+$/.test(line))) throw new MalformedMrz('alphabet');
  return first.startsWith('V') && size.visa ? size.visa : size.plain;
}

/**
 * The package's answer. It takes some zones of two lines of 36 for the old French identity card,
 * which is no document of ICAO 9303, and throws for what it does not know.
 */
function parsed(lines: readonly string[]): ReturnType<typeof parse> {
  try {
    const result = parse(lines);
    if (['TD1', 'TD2', 'TD3'].includes(result.format)) return result;
  } catch (error) {
    throw new MalformedMrz('not a format of ICAO 9303', { cause: error });
  }
  throw new MalformedMrz('not a format of ICAO 9303');
}

function wrongCheckDigits(details: readonly Details[], visa: boolean): string[] {
  const wrong: string[] = [];
  for (const { field, value, valid } of details) {
    const name = field && checkDigitNames[field];
    if (!name || (visa && notOnVisas.has(field))) continue;
    // A long document number ends in the optional data: without its digit the value is empty,
    // which the package reads as zero. Only an empty personal number may go without (9303-4).
    const present = /^\d$/.test(value ?? '') || field === 'personalNumberCheckDigit';
    if (!valid || !present) wrong.push(name);
  }
  return wrong;
}

/** Primary and secondary identifier, parted by two fillers (ICAO 9303-3, names in the MRZ). */
function namesOf(field = ''): [string, string] {
  if (!/^[A-Z<]+$/.test(field)) throw new MalformedMrz('names');
  const [primary = '', ...rest] = field.replace(/<+$/, '').split('<<');
  if (clean(primary) === '') throw new MalformedMrz('names');
  return [clean(primary), clean(rest.join('<'))];
}

function optionalDataOf(details: readonly Details[]): string[] {
  return ['optional', 'optional1', 'optional2', 'personalNumber']
    .map((name) => fieldOf(details, name)?.value ?? '')
    .filter((value) => value !== '');
}

const fieldOf = (details: readonly Details[], name: string): Details | undefined =>
  details.find(({ field }) => field === name);

function rawField(lines: readonly string[], details: readonly Details[], name: string): string {
  const [range] = fieldOf(details, name)?.ranges ?? [];
  return range ? (lines[range.line] ?? '').slice(range.start, range.end) : '';
}

const clean = (text: string): string => text.replaceAll('<', ' ').trim();
