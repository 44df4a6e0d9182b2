import { issuerOf } from './issuers.ts';

export class MalformedAamva extends Error {
  override readonly name = 'MalformedAamva';
}

/** The content of the barcode on a North American card, with complete dates. */
export interface AamvaCard {
  /** Version of the standard: 1 is from 2000, 12 from 2025. */
  readonly version: number;
  readonly issuerNumber: string;
  readonly documentType: 'driving_licence' | 'identity_card';
  /** `USA` or `CAN` as the card states it; null if its version has no such field. */
  readonly country: string | null;
  readonly documentNumber: string;
  readonly surname: string;
  readonly givenNames: string;
  readonly isNameTruncated: boolean;
  readonly sex: 'F' | 'M' | 'X';
  /** `YYYY-MM-DD`; null if it is not a valid day. */
  readonly birthDate: string | null;
  readonly expiryDate: string | null;
  readonly issueDate: string | null;
  /** ISO 3166-2 of the holder's address (DAJ), `US-CA`; null if the card states none. */
  readonly region: string | null;
  /** Place of birth (DCI), which few issuers write; null if the card states none. */
  readonly birthPlace: string | null;
}

/** More than twice the capacity of a PDF417 symbol. */
const textLengthMax = 4096;
const subfilesMax = 10;
const elementsMax = 200;
/** Longest values of elements (annex D). Older versions have the whole name in one element. */
const lengthsMax: ReadonlyMap<string, number> = new Map([
  ['DAA', 125],
  ['DAB', 40],
  ['DAC', 40],
  ['DAD', 40],
  ['DAQ', 25],
  ['DCI', 33],
  ['DCS', 40],
  ['DCT', 80],
]);
const versionMax = 15;

type Elements = ReadonlyMap<string, string>;

/**
 * Reads the text of a PDF417 barcode of the AAMVA standard, any version since 2000 (AAMVA DL/ID
 * Card Design Standard, annex D). Only subfiles that the header names are read, and only their
 * elements; text elsewhere is ignored. Repeated elements must agree. Offsets on real cards are
 * often wrong by a few characters, so a subfile whose name begins a line is also accepted.
 * @throws `MalformedAamva`
 */
export function readAamva(text: string): AamvaCard {
  if (text.length > textLengthMax) throw new MalformedAamva('too long');
  const header = readHeader(text);
  const elements = new Map<string, string>();
  for (const subfile of header.subfiles) {
    for (const [name, value] of elementsOf(text, subfile, header.length)) {
      addElement(elements, name, value);
    }
  }
  const version = header.version;
  const [surname, givenNames] = namesOf(elements, version);
  const country = cleanOf(elements, 'DCG') || null;
  // Some cards state no country, and the date format is that of the issuer's country.
  const datedBy = issuerOf(header.issuerNumber)?.country ?? country;
  const dateOf = (name: string): string | null =>
    readDate(cleanOf(elements, name), version > 1 && datedBy !== 'CAN');
  return {
    version,
    issuerNumber: header.issuerNumber,
    documentType: header.subfiles.some(({ type }) => type === 'DL')
      ? 'driving_licence'
      : 'identity_card',
    country,
    documentNumber: must(elements, version === 1 ? ['DAQ', 'DBJ'] : ['DAQ']),
    surname,
    givenNames,
    isNameTruncated: ['DDE', 'DDF', 'DDG'].some((name) => elements.get(name)?.trim() === 'T'),
    sex: sexOf(cleanOf(elements, 'DBC')),
    birthDate: dateOf('DBB'),
    expiryDate: dateOf('DBA'),
    issueDate: dateOf('DBD'),
    region: regionOf(cleanOf(elements, 'DAJ'), datedBy),
    birthPlace: cleanOf(elements, 'DCI') || null,
  };
}

interface Subfile {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
}

interface Header {
  readonly issuerNumber: string;
  readonly version: number;
  readonly length: number;
  readonly subfiles: readonly Subfile[];
}

/** Compliance indicator, line feed, record separator, carriage return (annex D.12.3). */
const starts = ['@\n\x1e\r', '@\n\x1c\r'];
/** File type, issuer, version. */
const headerFormat = /^(?:ANSI |AAMVA)(\d{6})(\d\d)/;

function readHeader(text: string): Header {
  const mark = starts.find((each) => text.startsWith(each));
  if (mark === undefined) throw new MalformedAamva('header');
  const read = headerFormat.exec(text.slice(mark.length));
  const [named, issuerNumber, versionDigits] = read ?? [];
  const start = mark + (named ?? '');
  if (!named || !issuerNumber || !versionDigits) throw new MalformedAamva('header');
  const version = Number(versionDigits);
  if (version < 1 || version > versionMax) throw new MalformedAamva('version');
  // Since version 2, the standard has the jurisdiction's own version in between.
  const countAt = start.length + (version > 1 ? 2 : 0);
  const digits = text.slice(start.length, countAt + 2);
  if (!/^\d+$/.test(digits)) throw new MalformedAamva('header');
  const count = Number(digits.slice(-2));
  if (count < 1 || count > subfilesMax) throw new MalformedAamva('number of subfiles');
  const length = countAt + 2 + count * 10;
  const subfiles = Array.from({ length: count }, (_, index) =>
    readDesignator(text.slice(countAt + 2 + index * 10, countAt + 12 + index * 10)),
  ).filter(({ type }) => type === 'DL' || type === 'ID');
  if (subfiles.length === 0) throw new MalformedAamva('no subfile of a licence or identity card');
  return { issuerNumber, version, length, subfiles };
}

function readDesignator(text: string): Subfile {
  const [, type, offset, length] = /^([A-Z][A-Z0-9])(\d{4})(\d{4})$/.exec(text) ?? [];
  if (!type || !offset || !length) throw new MalformedAamva('subfile designator');
  return { type, offset: Number(offset), length: Number(length) };
}

function elementsOf(
  text: string,
  { type, offset }: Subfile,
  headerLength: number,
): (readonly [string, string])[] {
  const start = offset >= headerLength && text.startsWith(type, offset) ? offset : -1;
  const found = start >= 0 ? start : beginOf(text, type, headerLength);
  const [body = ''] = text.slice(found + type.length).split('\r', 1);
  const lines = body.split('\n').filter((line) => line !== '');
  if (lines.length > elementsMax) throw new MalformedAamva('too many elements');
  return lines.map((line) => {
    const [, name, value] = /^([A-Z]{3})([\x20-\x7e\xa0-\xff]*)$/.exec(line) ?? [];
    if (!name || value === undefined) throw new MalformedAamva('element');
    return [name, value] as const;
  });
}

function addElement(elements: Map<string, string>, name: string, value: string): void {
  if (value.trim().length > (lengthsMax.get(name) ?? textLengthMax)) {
    throw new MalformedAamva(`${name} is too long`);
  }
  const before = elements.get(name);
  if (before !== undefined && before.trim() !== value.trim()) {
    throw new MalformedAamva(`${name} stands twice and differs`);
  }
  elements.set(name, value);
}

function beginOf(text: string, type: string, headerLength: number): number {
  const rest = text.slice(headerLength - 1);
  const found = new RegExp(`(?:^.|[\\r\\n])${type}(?=D[A-Z]{2})`, 's').exec(rest);
  if (!found) throw new MalformedAamva(`subfile ${type}`);
  return headerLength - 1 + found.index + 1;
}

/** Texts that mean "no value" (annex D.12.5.1). */
const absent = /^(?:none|unavl|)$/i;

function cleanOf(elements: Elements, name: string): string {
  const value = (elements.get(name) ?? '').replaceAll(/\s+/g, ' ').trim();
  return absent.test(value) ? '' : value;
}

function must(elements: Elements, names: readonly string[]): string {
  const value = names.map((name) => cleanOf(elements, name)).find((each) => each !== '');
  if (value === undefined) throw new MalformedAamva(`no ${names[0] ?? ''}`);
  return value;
}

/**
 * Returns the family name and all others. Version 1 has all names in one element, versions 2 and 3
 * have the given names in one, later ones have one each (annex D, mandatory elements of each
 * version).
 */
function namesOf(elements: Elements, version: number): [string, string] {
  const whole = version === 1 ? cleanOf(elements, 'DAA') : '';
  if (whole !== '') {
    const [family = '', ...others] = whole.split(/[,$]/).map((part) => part.trim());
    if (family === '') throw new MalformedAamva('names');
    return [family, joined(others)];
  }
  const surname = must(elements, version === 1 ? ['DAB', 'DCS'] : ['DCS', 'DAB']);
  const given = cleanOf(elements, 'DCT').split(/[,$]/);
  const apart = [cleanOf(elements, 'DAC'), cleanOf(elements, 'DAD')];
  return [surname, joined(version > 1 && version < 4 && given[0] !== '' ? given : apart)];
}

/** @param code the State, province or territory of the address (annex D: two letters) */
function regionOf(code: string, country: string | null): string | null {
  if (!/^[A-Z]{2}$/.test(code)) return null;
  if (country === 'USA') return `US-${code}`;
  return country === 'CAN' ? `CA-${code}` : null;
}

const joined = (names: readonly string[]): string =>
  names
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .join(' ');

function sexOf(code: string): AamvaCard['sex'] {
  if (code === '1' || code === 'M') return 'M';
  return code === '2' || code === 'F' ? 'F' : 'X';
}

/**
 * Reads `MMDDCCYY` (United States) or `CCYYMMDD` (Canada, version 1). Null if there is no such day.
 */
function readDate(field: string, isMonthFirst: boolean): string | null {
  if (!/^\d{8}$/.test(field)) return null;
  const text = isMonthFirst
    ? `${field.slice(4)}-${field.slice(0, 2)}-${field.slice(2, 4)}`
    : `${field.slice(0, 4)}-${field.slice(4, 6)}-${field.slice(6)}`;
  const at = new Date(`${text}T00:00:00Z`);
  const isDay = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
  return isDay ? text : null;
}
