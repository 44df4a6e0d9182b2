import { createHash } from 'node:crypto';
import { alpha3Of } from '../mrz/countries.ts';
import { birthDateOf, expiryDateOf, isExpired } from '../mrz/dates.ts';
import { readMrz, type Mrz } from '../mrz/mrz.ts';
import {
  checkCountry,
  checkDigits,
  fullNameOf,
  isSpecimen,
  specimenRefused,
} from '../mrz/verify-mrz.ts';
import { judge, type Rule, type RuleAnswer, type Verdict } from '../verdict.ts';
import { MalformedAamva, readAamva, type AamvaCard } from './aamva.ts';
import { crossCheck } from './cross-check.ts';
import type { DocumentType } from './document-types.ts';
import type { DocumentImageFile } from './evidence.ts';
import type { DocumentFields } from './fields.ts';
import { issuerOf } from './issuers.ts';
import { lookInPrint, type InPrint } from './print.ts';
import {
  isBackOfCard,
  printedSideOf,
  type DocumentImages,
  type DocumentReading,
  type SideReading,
} from './reading.ts';
import { cardNameOf, checkCardDates, checkIssuer } from './verify-aamva.ts';

/** A visa identifies a person only together with the passport that contains it. */
const usualTypes: readonly DocumentType[] = ['passport', 'identity_card', 'driving_licence'];

export interface DocumentPolicy {
  readonly documentTypes?: readonly DocumentType[] | undefined;
  /** ICAO three-letter codes of the accepted issuing States; all if absent. */
  readonly countries?: readonly string[] | undefined;
  /** Whether specimens of the State UTO are accepted. The facts mention them. */
  readonly development?: boolean | undefined;
}

interface Findings {
  readonly policy: DocumentPolicy;
  readonly reading: DocumentReading;
  readonly at: Date;
  mrz: Mrz | null;
  card: AamvaCard | null;
  /** From the MRZ if there is one, else from the barcode. */
  fields: DocumentFields | null;
  confirmed: readonly string[];
  print: InPrint | null;
}

/**
 * Judges the reading of the photographs of a document (ICAO 9303-3 for the MRZ, AAMVA DL/ID Card
 * Design Standard for the barcode). Pure: the same reading gives the same verdict. Print is
 * unsigned: a passed verdict means that a document is consistent and in date, never that it is
 * genuine.
 */
export function verifyDocumentImage(
  policy: DocumentPolicy,
  reading: DocumentReading,
  at: Date,
): Verdict {
  const findings = { policy, reading, at, ...unread };
  return judge<Findings>('document-image', rules, findings, factsOf);
}

const unread = { mrz: null, card: null, fields: null, confirmed: [], print: null };

const rules: readonly Rule<Findings>[] = [
  { name: 'image', judge: checkImage },
  { name: 'locate', judge: checkLocated },
  { name: 'read', judge: checkRead },
  { name: 'check_digits', judge: checkZone },
  { name: 'cross_check', judge: checkTwice },
  { name: 'expiry', judge: checkDates },
];

const sidesOf = ({ front, back }: DocumentReading): SideReading[] =>
  back ? [front, back] : [front];

function checkImage({ reading }: Findings): RuleAnswer {
  const refused = sidesOf(reading).find((side) => side.refused !== null);
  return refused ? { fault: 'image_refused', detail: refused.refused ?? '' } : { ok: true };
}

const hasCode = ({ mrz, barcode }: SideReading): boolean => mrz !== null || barcode !== null;

/** Checks that one side has a readable code; if not, the fault says what hides it. */
function checkLocated({ reading }: Findings): RuleAnswer {
  const sides = sidesOf(reading);
  if (sides.some((side) => hasCode(side) || side.isSeen)) return { ok: true };
  return { fault: refusalOf(sides), detail: 'neither MRZ nor barcode' };
}

/** Returns the problem of the side that came closer to being read. */
function refusalOf(sides: readonly SideReading[]): SideReading['refusal'] {
  const closer = sides.find(({ isSeen }) => isSeen) ?? sides.at(-1);
  const nameable = sides.find(({ refusal }) => refusal !== 'no_document');
  return (closer?.isSeen ? closer : (nameable ?? closer))?.refusal ?? 'no_document';
}

function checkRead(findings: Findings): RuleAnswer {
  const { reading, policy, at } = findings;
  const sides = sidesOf(reading);
  if (!sides.some(hasCode)) {
    if (!sides.some(({ isSeen }) => isSeen)) return { skipped: 'nothing located' };
    return { fault: refusalOf(sides), detail: 'no two readings agree' };
  }
  const zone = sides.find(({ mrz }) => mrz)?.mrz;
  const barcode = sides.find((side) => side.barcode !== null)?.barcode;
  if (zone) findings.mrz = readMrz(zone.lines);
  if (typeof barcode === 'string') findings.card = cardOf(barcode, findings);
  const { mrz, card } = findings;
  findings.fields = mrz ? ofMrz(mrz, at) : card ? ofCard(card) : null;
  if (!findings.fields) return { fault: 'unreadable' };
  const country = mrz ? checkCountry(mrz) : card ? checkIssuer(card) : { ok: true as const };
  if ('fault' in country) return country;
  if (mrz && isSpecimen(mrz) && !policy.development) return specimenRefused;
  const { documentType, issuingCountry } = findings.fields;
  if (!(policy.documentTypes ?? usualTypes).includes(documentType)) {
    return { fault: 'type_refused', detail: documentType };
  }
  if (policy.countries && !policy.countries.includes(issuingCountry)) {
    return { fault: 'country_refused', detail: issuingCountry };
  }
  if (sides.every(isBackOfCard)) return { fault: 'side_missing', detail: 'the front of the card' };
  return { ok: true, detail: mrz ? mrz.format : 'AAMVA' };
}

/** A document with an MRZ may have any kind of barcode: Argentina's cards have their own. */
function cardOf(barcode: string, findings: Findings): AamvaCard | null {
  try {
    return readAamva(barcode);
  } catch (error) {
    if (findings.mrz && error instanceof MalformedAamva) return null;
    throw error;
  }
}

function checkZone({ mrz, fields }: Findings): RuleAnswer {
  if (mrz) return checkDigits(mrz);
  return { skipped: fields ? 'a barcode has none' : 'nothing read' };
}

/** Checks that fields in several places have the same value in all of them. */
function checkTwice(findings: Findings): RuleAnswer {
  const { reading, mrz, card, fields, at } = findings;
  if (!fields) return { skipped: 'nothing read' };
  const others = [
    ...(mrz && card ? [ofCard(card)] : []),
    ...sidesOf(reading)
      .flatMap((side) => (side.mrz ? [ofMrz(readMrz(side.mrz.lines), at)] : []))
      .slice(1),
  ];
  const printed = printedSideOf(reading);
  findings.print = lookInPrint(fields, printed);
  const isFrontBound = printed.mrz !== null || (card !== null && printed.barcode !== null);
  const { answer, confirmed } = crossCheck(fields, others, findings.print, { isFrontBound });
  findings.confirmed = confirmed;
  return answer;
}

function checkDates({ mrz, card, fields, at }: Findings): RuleAnswer {
  if (card && !mrz) return checkCardDates(card, at);
  if (!mrz || !fields) return { skipped: 'nothing read' };
  if (!fields.birthDate) return { fault: 'malformed', detail: 'date of birth' };
  const expiry = expiryDateOf(mrz.expiryDate, at);
  if (!expiry?.complete) return { fault: 'malformed', detail: 'date of expiry' };
  return isExpired(expiry, at)
    ? { fault: 'document_expired', detail: expiry.text ?? '' }
    : { ok: true };
}

function ofMrz(mrz: Mrz, at: Date): DocumentFields {
  return {
    source: 'mrz',
    documentType: mrz.documentType,
    issuingCountry: alpha3Of(mrz.issuingState),
    documentNumber: mrz.documentNumber,
    surname: mrz.surname,
    givenNames: mrz.givenNames,
    fullName: fullNameOf(mrz),
    birthDate: birthDateOf(mrz.birthDate, at)?.text ?? null,
    nationality: alpha3Of(mrz.nationality),
    sex: mrz.sex,
    expiryDate: expiryDateOf(mrz.expiryDate, at)?.text ?? null,
    issueDate: null,
    region: null,
    birthPlace: null,
  };
}

function ofCard(card: AamvaCard): DocumentFields {
  return {
    source: 'barcode',
    documentType: card.documentType,
    issuingCountry: issuerOf(card.issuerNumber)?.country ?? card.country ?? '',
    documentNumber: card.documentNumber,
    surname: card.surname,
    givenNames: card.givenNames,
    fullName: cardNameOf(card),
    birthDate: card.birthDate,
    nationality: null,
    sex: card.sex,
    expiryDate: card.expiryDate,
    issueDate: card.issueDate,
    region: card.region,
    birthPlace: card.birthPlace,
  };
}

function factsOf(findings: Findings): Record<string, unknown> {
  const { fields, mrz, card } = findings;
  if (!fields) return {};
  // Numbers of cards are unique per State; those of passports and ID cards per country.
  const number =
    mrz || !card ? fields.documentNumber : `${card.issuerNumber}|${card.documentNumber}`;
  const values = {
    document_type: fields.documentType,
    issuing_country: fields.issuingCountry,
    document_number: fields.documentNumber,
    surname: fields.surname,
    given_names: fields.givenNames,
    full_name: fields.fullName,
    date_of_birth: fields.birthDate,
    place_of_birth: fields.birthPlace,
    region: fields.region,
    nationality: fields.nationality,
    sex: fields.sex,
    expires_on: fields.expiryDate,
    issued_on: fields.issueDate,
  };
  const present = Object.entries(values).filter(([, value]) => value !== null && value !== '');
  const { print } = findings;
  return {
    ...(mrz && isSpecimen(mrz) && findings.policy.development ? { development_root: true } : {}),
    format: mrz?.format ?? 'AAMVA',
    document_number_hash: createHash('sha256').update(number).digest('hex'),
    fields: Object.fromEntries(
      present.map(([name, value]) => [name, { value, ...standing(findings, name) }] as const),
    ),
    ...(print ? { print: { ...print } } : {}),
  };
}

/**
 * Where a field was read, and how reliably: `confirmed` if a second place has the same value,
 * `protected` if check digits or error correction cover it, else `read`, on which two readers
 * agree.
 */
function standing({ fields, confirmed }: Findings, name: string) {
  const isProtected = fields?.source === 'barcode' || protectedFields.has(name);
  const confidence = confirmed.includes(name) ? 'confirmed' : isProtected ? 'protected' : 'read';
  return { source: fields?.source, confidence };
}

const protectedFields: ReadonlySet<string> = new Set([
  'document_number',
  'date_of_birth',
  'expires_on',
]);

/** Reads the images of documents; the same images give the same reading. */
export interface DocumentReader {
  readDocument(images: DocumentImages): Promise<DocumentReading>;
}

/** Reads the images of an evidence file of kind `document-image` and judges it. */
export async function verifyDocumentFile(
  { policy, input, at }: DocumentImageFile,
  { readDocument }: DocumentReader,
): Promise<Verdict> {
  const { document_types: types, rules: _rules, ...given } = policy;
  const { front = new Uint8Array(), back } = input;
  const reading = await readDocument({ front, back });
  return verifyDocumentImage({ documentTypes: types, ...given }, reading, at);
}
