import type { LicenceFields } from '../../simulator/document/licence.ts';
import { licenceBack, licenceFront, mrzPage, type Page } from '../../simulator/document/page.ts';
import type { MrzFields, MrzKind } from '../../simulator/passport/mrz.ts';
import { seeded } from '../seeded.ts';
import { photograph, straight, type Conditions, type Random } from './photograph.ts';

/** A photographed document and what is true of it. */
export interface Labelled {
  readonly name: string;
  readonly condition: string;
  readonly front: Uint8Array;
  readonly back?: Uint8Array;
  /** The fields as they were printed; null where nothing should be read. */
  readonly truth: Readonly<Record<string, string>>;
}

const kinds = ['TD3', 'TD1', 'TD2', 'licence'] as const;
/** Those that came later stand behind the others, whose photographs stay what they were. */
const visas = ['MRV-A', 'MRV-B'] as const;
const visasFrom = 312;
/** Licences of many States, of people with short surnames; every other pair is of two people. */
const pairsFrom = 390;
const issuers = [
  ['636001', 'USA'],
  ['636015', 'USA'],
  ['636012', 'CAN'],
  ['636028', 'CAN'],
] as const;

/** What is varied, from what should be read to what should be refused. */
export const conditions: Readonly<Record<string, (random: Random) => Partial<Conditions>>> = {
  clean: () => ({}),
  small: () => ({ width: 1100, height: 825, widthShare: 0.85 }),
  noise: () => ({ noise: 22 }),
  blur: () => ({ blur: 1.4 }),
  rotation: (random) => ({ rotation: (random() - 0.5) * 16 }),
  quarters: (random) => (random() < 0.5 ? { rotation: 180 } : { rotation: 90, widthShare: 0.6 }),
  perspective: (random) => ({ cornersOff: corners(random, 45), widthShare: 0.75 }),
  dim: () => ({ brightness: 0.45, noise: 8 }),
  all: (random) => ({
    rotation: (random() - 0.5) * 8,
    cornersOff: corners(random, 25),
    widthShare: 0.78,
    noise: 10,
    blur: 0.8,
    brightness: 0.8,
  }),
  glare: () => ({ glare: { x: 0.5, y: 0.85, radius: 0.18, strength: 1 } }),
  too_dark: () => ({ brightness: 0.08, noise: 6 }),
  too_blurred: () => ({ blur: 7 }),
  cropped: () => ({ shift: [0.3, 0] }),
};

const corners = (random: Random, most: number): [number, number][] =>
  Array.from({ length: 4 }, () => [(random() - 0.5) * 2 * most, (random() - 0.5) * 2 * most]);

/** Photograph number so many of the set: the same for the same number. */
export async function labelled(number: number): Promise<Labelled> {
  const random = seeded(number * 7919 + 1);
  const names = Object.keys(conditions);
  const condition = names[number % names.length] ?? 'clean';
  const round = Math.trunc(number / names.length);
  const later = number < visasFrom ? kinds : visas;
  const kind = later[round % later.length] ?? 'TD3';
  const chosen = { ...straight, ...conditions[condition]?.(random) };
  const take = (page: Page): Promise<Uint8Array> => photograph(page, chosen, random);
  const name = `${number} ${kind} ${condition}`;
  if (number >= pairsFrom) {
    return {
      name: `${number} pair ${condition}`,
      condition,
      ...(await pairOf(round, random, take)),
    };
  }
  if (kind !== 'licence') return { name, condition, ...(await ofZone(kind, random, take)) };
  const fields = licenceOf(random);
  return {
    name,
    condition,
    front: await take(licenceFront(fields)),
    back: await take(await licenceBack(fields)),
    truth: { ...commonTruth(fields), document_type: 'driving_licence', issuing_country: 'USA' },
  };
}

/** Of a forged pair the front is true: to pass it by its barcode is to pass it wrong. */
async function pairOf(round: number, random: Random, take: (page: Page) => Promise<Uint8Array>) {
  const [issuerNumber, country] = issuers[Math.trunc(round / 2) % issuers.length] ?? issuers[0];
  const surname = drawn(random, letters, 2, 3);
  const fields = { ...licenceOf(random), issuerNumber, country, surname };
  const [surnameOfOther, givenNames] = [drawn(random, letters, 2, 3), drawn(random, letters, 4, 7)];
  const change = round % 4 === 1 ? { surname: surnameOfOther } : { givenNames };
  const other = { ...fields, ...change };
  const front = await take(licenceFront(fields));
  const back = await take(await licenceBack(round % 2 === 0 ? fields : other));
  const truth = { document_type: 'driving_licence', issuing_country: country };
  return { front, back, truth: { ...commonTruth(fields), ...truth } };
}

async function ofZone(kind: MrzKind, random: Random, take: (page: Page) => Promise<Uint8Array>) {
  const fields = mrzFieldsOf(random);
  const { holder, documentNumber, expiresOn } = fields;
  const front = await take(mrzPage(kind, fields));
  const isVisa = kind === 'MRV-A' || kind === 'MRV-B';
  const document_type = isVisa ? 'visa' : kind === 'TD3' ? 'passport' : 'identity_card';
  const truth = commonTruth({ ...holder, documentNumber, expiresOn });
  return { front, truth: { ...truth, document_type, issuing_country: 'UTO', nationality: 'UTO' } };
}

function commonTruth(fields: {
  readonly surname: string;
  readonly givenNames: string;
  readonly documentNumber: string;
  readonly dateOfBirth: string;
  readonly expiresOn: string;
  readonly sex: string;
}): Record<string, string> {
  return {
    surname: fields.surname,
    given_names: fields.givenNames,
    full_name: `${fields.givenNames} ${fields.surname}`,
    document_number: fields.documentNumber,
    date_of_birth: fields.dateOfBirth,
    expires_on: fields.expiresOn,
    sex: fields.sex,
  };
}

/** Letters and digits drawn at random: nobody's name, and harder to read than one. */
function drawn(random: Random, alphabet: string, least: number, most: number): string {
  const length = least + Math.trunc(random() * (most - least + 1));
  return Array.from({ length }, () => alphabet[Math.trunc(random() * alphabet.length)]).join('');
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const signs = `${letters}0123456789`;

function day(random: Random, from: number, to: number): string {
  const year = from + Math.trunc(random() * (to - from));
  const at = new Date(Date.UTC(year, 0, 1 + Math.trunc(random() * 360)));
  return at.toISOString().slice(0, 10);
}

function personOf(random: Random) {
  return {
    surname: drawn(random, letters, 5, 11),
    givenNames: `${drawn(random, letters, 3, 7)} ${drawn(random, letters, 3, 6)}`,
    dateOfBirth: day(random, 1940, 2006),
    sex: random() < 0.5 ? ('F' as const) : ('M' as const),
  };
}

const mrzFieldsOf = (random: Random): MrzFields => ({
  holder: { ...personOf(random), nationality: 'UTO' },
  documentNumber: drawn(random, signs, 9, 9),
  expiresOn: day(random, 2028, 2036),
});

const licenceOf = (random: Random): LicenceFields => ({
  version: 10,
  issuerNumber: '636014',
  type: 'DL',
  country: 'USA',
  ...personOf(random),
  documentNumber: drawn(random, signs, 8, 8),
  issuedOn: day(random, 2020, 2025),
  expiresOn: day(random, 2028, 2034),
});
