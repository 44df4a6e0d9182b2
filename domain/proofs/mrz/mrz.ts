import { parse, type Details } from 'mrz';

export class MalformedMrz extends Error {
  override readonly name = 'MalformedMrz';
}

/** The content of a machine-readable zone. Dates are still six characters. */
export interface Mrz {
  readonly format: MrzFormat;
  /** The first two characters without filler: `P`, `PD`, `ID`, … */
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
  /** Fields with a wrong check digit, in the order of the zone. */
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

/** A visa has optional data in the place of these fields of a passport (ICAO 9303-7). */
const notOnVisas: ReadonlySet<string> = new Set([
  'personalNumberCheckDigit',
  'compositeCheckDigit',
]);

/**
 * Reads the lines of an MRZ (TD1, TD2, TD3, visas). Wrong check digits are reported, not thrown.
 * The `mrz` package calls a whole zone invalid for every visa and for a State that it does not
 * list. So only its results per field are used; document code, alphabet and names are checked here.
 * @throws `MalformedMrz`
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
 * Parses with the `mrz` package. It reads some zones of two lines of 36 as the old French identity
 * card, which ICAO 9303 does not define, and throws for unknown formats.
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
    // A long document number ends in the optional data. Without its digit the value is empty, which
    // the package reads as zero. Only an empty personal number may omit its digit (9303-4).
    const present = /^\d$/.test(value ?? '') || field === 'personalNumberCheckDigit';
    if (!valid || !present) wrong.push(name);
  }
  return wrong;
}

/** Splits primary and secondary identifier at two fillers (ICAO 9303-3, names in the MRZ). */
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
