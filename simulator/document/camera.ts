import sharp, { type Sharp } from 'sharp';
import { documentFor, type PhoneFailure } from '../failures/failures.ts';
import type { ShownDocument } from '../failures/shown-document.ts';
import { misprinted } from '../passport/chip-faults.ts';
import { holder, dayOf, yearMs } from '../passport/chip.ts';
import { mrzLines, type MrzFields, type MrzKind } from '../passport/mrz.ts';
import type { LicenceFields } from './licence.ts';
import {
  blankCard,
  cardFront,
  drawPage,
  licenceBack,
  licenceFront,
  mrzPage,
  type Page,
} from './page.ts';

/** Photographs of the sides of a document, JPEG. */
export interface Photographs {
  readonly front: Uint8Array;
  readonly back?: Uint8Array;
}

export interface CameraView {
  /** Default: a passport, or a document that can have the failure. */
  readonly document?: ShownDocument | undefined;
  readonly fail?: PhoneFailure | undefined;
  /** Printed portrait, JPEG. Default: an empty outline. */
  readonly portrait?: Uint8Array | undefined;
}

/**
 * Photographs a document of the person whose passport this phone reads, on a gray desk. It is
 * genuine, or has one fault of `documentFailures`. A passport shows its data page, a card both
 * sides.
 */
export async function photographDocument(now: Date, view: CameraView = {}): Promise<Photographs> {
  const { fail } = view;
  const [front, back] = await pagesOf(now, documentFor(fail, view.document), view);
  if (!back) return { front: await photograph(front, fail) };
  return { front: await photograph(front, fail), back: await photograph(back, fail) };
}

async function pagesOf(
  now: Date,
  document: ShownDocument,
  { fail, portrait }: CameraView,
): Promise<readonly [Page, Page?]> {
  if (document === 'driving_licence') {
    const fields = licenceFields(now, fail);
    const other = fail === 'front_back_mismatch' ? { ...fields, surname: 'Other' } : fields;
    const front = fail === 'no_print' ? blankCard() : licenceFront(fields, portrait);
    return [front, await licenceBack(other)];
  }
  const fields = mrzFields(now, fail);
  if (document === 'identity_card') {
    const back = zoneOf('TD1', fields, fail);
    return fail === 'one_side' ? [back] : [cardFront(fields, portrait), back];
  }
  return [zoneOf(fail === 'visa' ? 'MRV-A' : 'TD3', fields, fail, portrait)];
}

function zoneOf(
  kind: MrzKind,
  fields: MrzFields,
  fail: PhoneFailure | undefined,
  portrait?: Uint8Array,
): Page {
  const lines = mrzLines(kind, fields);
  return mrzPage(kind, fields, fail === 'wrong_digits' ? misprinted(lines) : lines, portrait);
}

/** A fictional name. */
const other = { surname: 'Specimen', givenNames: 'Other' };
const documentNumber = 'L898902C3';

const expiryOf = (now: Date, fail: PhoneFailure | undefined): string =>
  dayOf(now.getTime() + (fail === 'document_expired' ? -0.1 : 6) * yearMs);

function mrzFields(now: Date, fail: PhoneFailure | undefined): MrzFields {
  const expiresOn = expiryOf(now, fail);
  const person = fail === 'other_name' ? { ...holder, ...other } : holder;
  const issuingState = fail === 'unknown_state' ? 'QQQ' : undefined;
  return { holder: person, documentNumber, expiresOn, issuingState };
}

/** A license of California; AAMVA publishes its issuer number. */
function licenceFields(now: Date, fail: PhoneFailure | undefined): LicenceFields {
  const { nationality: _none, ...person } = holder;
  return {
    version: 10,
    issuerNumber: '636014',
    type: 'DL',
    country: 'USA',
    ...person,
    ...(fail === 'other_name' ? other : {}),
    documentNumber,
    issuedOn: dayOf(now.getTime() - (fail === 'impossible_dates' ? -7 : 2) * yearMs),
    expiresOn: expiryOf(now, fail),
  };
}

const pixelsPerMm = 11;
const desk = '#5f656c';
const edges = { top: 90, bottom: 110, left: 120, right: 100, background: desk };

/** Photographs a page on the desk with this failure. */
async function photograph(page: Page, fail: PhoneFailure | undefined): Promise<Uint8Array> {
  if (fail === 'no_image') return Buffer.from('no photograph');
  const drawn = await drawPage(page, pixelsPerMm);
  const [width, height] = [
    drawn.width + edges.left + edges.right,
    drawn.height + edges.top + edges.bottom,
  ];
  const raw = { width: drawn.width, height: drawn.height, channels: 3 as const };
  const lying = await sharp(drawn.pixels, { raw }).extend(edges).raw().toBuffer();
  const size = { width, height, channels: 3 as const };
  const seen = await seenWith(fail, sharp(lying, { raw: size }), size);
  return new Uint8Array(await seen.jpeg({ quality: 90 }).toBuffer());
}

/** Blur in pixels that no reader can handle. */
const shakenPx = 9;
const usualPx = 0.6;

async function seenWith(
  fail: PhoneFailure | undefined,
  lying: Sharp,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<Sharp> {
  switch (fail) {
    case 'document_cropped': {
      const half = { left: 0, top: 0, width: Math.trunc(width / 2), height };
      return lying.extract(half).blur(usualPx);
    }
    case 'document_dark':
      return lying.linear(0.06, 0);
    case 'document_glare': {
      const lamp = { width: Math.trunc(width / 2), height: Math.trunc(height / 2) };
      const input = { create: { ...lamp, channels: 3 as const, background: '#fff' } };
      return lying.composite([{ input, gravity: 'south' }]);
    }
    case 'document_unreadable':
      return lying.blur(shakenPx);
    case 'no_document':
      return sharp({ create: { width, height, channels: 3, background: desk } });
    default:
      return lying.blur(usualPx);
  }
}
