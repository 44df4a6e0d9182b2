import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fontkit, { type Font } from '@cantoo/fontkit';
import sharp from 'sharp';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';
import { ocrB } from '../../activities/proofs/document/ocr-b.ts';
import { mrzLines, type MrzFields, type MrzKind } from '../passport/mrz.ts';
import { licenceText, type LicenceFields } from './licence.ts';

/** A drawn side of a document: SVG in millimeters. */
export interface Page {
  readonly svg: string;
  readonly widthMm: number;
  readonly heightMm: number;
}

const require = createRequire(import.meta.url);
const plain = fontOf(
  readFileSync(require.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf')),
);

function fontOf(bytes: Uint8Array): Font {
  const font = fontkit.create(bytes);
  if (!('layout' in font)) throw new Error('a font file holds a collection');
  return font;
}

/** OCR-B has ten characters per inch in every MRZ (ICAO 9303-3, specifications of the MRZ). */
const pitchMm = 2.54;

const sizes: Readonly<Record<MrzKind, readonly [widthMm: number, heightMm: number]>> = {
  TD1: [85.6, 54],
  TD2: [105, 74],
  TD3: [125, 88],
  'MRV-A': [120, 80],
  'MRV-B': [105, 74],
};

/**
 * Draws the side with the MRZ of such a document (ICAO 9303-3 to -7), of Utopia and a fictional
 * person.
 */
export function mrzPage(
  kind: MrzKind,
  fields: MrzFields,
  lines = mrzLines(kind, fields),
  photograph?: Uint8Array,
): Page {
  const [widthMm, heightMm] = sizes[kind];
  const rise = kind === 'TD1' ? 4.9 : 6.35;
  const bottom = heightMm - (kind === 'TD1' ? 5 : 6.5);
  const left = (widthMm - pitchMm * (lines[0]?.length ?? 0)) / 2;
  const zone = lines.map((line, index) =>
    machineLine(line, left, bottom - rise * (lines.length - 1 - index)),
  );
  const top = bottom - rise * lines.length;
  const visual = kind === 'TD1' ? [] : visualZone(fields, widthMm, top, photograph);
  return pageOf(widthMm, heightMm, [...visual, ...zone]);
}

function visualZone(
  fields: MrzFields,
  widthMm: number,
  bottomMm: number,
  photograph: Uint8Array | undefined,
): string[] {
  const { holder, documentNumber, expiresOn, issuingState = 'UTO' } = fields;
  const rows: readonly (readonly [string, string])[] = [
    ['Document No.', documentNumber],
    ['Surname', holder.surname],
    ['Given names', holder.givenNames],
    ['Nationality', `${holder.nationality} / ${issuingState}`],
    ['Date of birth', printed(holder.dateOfBirth)],
    ['Sex', holder.sex],
    ['Date of expiry', printed(expiresOn)],
  ];
  const left = widthMm * 0.36;
  const rise = (bottomMm - 12) / rows.length;
  const words = rows.flatMap(([label, value], index) => [
    textAt(plain, label, left, 11 + index * rise, 1.5),
    textAt(plain, value, left, 14 + index * rise, 2.7),
  ]);
  const face = Math.min(widthMm * 0.27, (bottomMm - 20) / 1.45);
  return [...portrait(6, 14, face, photograph), textAt(plain, 'UTOPIA', 6, 8, 4), ...words];
}

/** Returns a date like `12 AUG 1974`, as travel documents print it. */
function printed(iso: string): string {
  const month = new Date(`${iso}T00:00:00Z`).toLocaleString('en', {
    month: 'short',
    timeZone: 'UTC',
  });
  return `${iso.slice(8)} ${month.toUpperCase()} ${iso.slice(0, 4)}`;
}

/** Draws the photograph (JPEG), or a gray outline instead of a face. */
function portrait(x: number, y: number, width: number, photograph?: Uint8Array): string[] {
  const [middle, height] = [x + width / 2, width * 1.3];
  if (photograph) {
    const data = `data:image/jpeg;base64,${Buffer.from(photograph).toString('base64')}`;
    const at = `x="${x}" y="${y}" width="${width}" height="${height}"`;
    return [`<image ${at} preserveAspectRatio="xMidYMid slice" href="${data}"/>`];
  }
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#b9c4cf"/>`,
    ellipse(middle, y + height * 0.4, width * 0.22, width * 0.3),
    ellipse(middle, y + height, width * 0.4, height * 0.25),
  ];
}

const ellipse = (cx: number, cy: number, rx: number, ry: number): string =>
  `<ellipse cx="${cx}" cy="${cy}" rx="${rx}" ry="${ry}" fill="#8a94a0"/>`;

/** Draws the front of an identity card: the data of its MRZ in readable form. */
export function cardFront(fields: MrzFields, photograph?: Uint8Array): Page {
  const [widthMm, heightMm] = sizes.TD1;
  return pageOf(widthMm, heightMm, visualZone(fields, widthMm, heightMm - 4, photograph));
}

/** Returns a card without print. */
export const blankCard = (): Page => pageOf(...sizes.TD1, []);

/** Draws the front of a North American card: the data of its barcode in readable form. */
export function licenceFront(fields: LicenceFields, photograph?: Uint8Array): Page {
  const day = (iso: string): string => `${iso.slice(5, 7)}/${iso.slice(8)}/${iso.slice(0, 4)}`;
  const rows = [
    `DL ${fields.documentNumber}`,
    `EXP ${day(fields.expiresOn)}`,
    `LN ${fields.surname}`,
    `FN ${fields.givenNames}`,
    `DOB ${day(fields.dateOfBirth)}`,
    `SEX ${fields.sex}`,
  ];
  const words = rows.map((row, index) => textAt(plain, row, 32, 16 + index * 6, 3.4));
  const title = textAt(plain, 'SPECIMEN DRIVER LICENSE', 5, 8, 4);
  return pageOf(85.6, 54, [title, ...portrait(5, 12, 22, photograph), ...words]);
}

/** Draws the back of a North American card, with its PDF417 barcode. */
export async function licenceBack(
  fields: LicenceFields,
  text = licenceText(fields),
): Promise<Page> {
  const wasm = readFileSync(require.resolve('zxing-wasm/writer/zxing_writer.wasm'));
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer } });
  const { svg, error } = await writeBarcode(new TextEncoder().encode(text), {
    format: 'PDF417',
    options: 'columns=13,ecLevel=5',
    addQuietZones: false,
  });
  const [, width = '0', height = '0'] = /<svg width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
  const [, drawn] = /<path[^>]* d="([^"]+)"/.exec(svg) ?? [];
  if (error || !drawn) throw new Error(`no barcode could be made: ${error}`);
  const scale = Math.min(75 / Number(width), 22 / Number(height));
  const code = `<path transform="translate(5 6) scale(${scale})" d="${drawn}" fill="#111"/>`;
  return pageOf(85.6, 54, [code, textAt(plain, 'SPECIMEN', 5, 46, 4)]);
}

function pageOf(widthMm: number, heightMm: number, parts: readonly string[]): Page {
  const background = `<rect width="${widthMm}" height="${heightMm}" fill="#f4f1ea"/>`;
  const box = `viewBox="0 0 ${widthMm} ${heightMm}"`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${box}>${background}${parts.join('')}</svg>`;
  return { svg, widthMm, heightMm };
}

function machineLine(text: string, xMm: number, yMm: number): string {
  return [...text].map((each, at) => textAt(ocrB, each, xMm + at * pitchMm, yMm, 3.53)).join('');
}

/** Draws text as outlines, independent of installed fonts. */
function textAt(font: Font, text: string, xMm: number, yMm: number, sizeMm: number): string {
  const scale = sizeMm / font.unitsPerEm;
  let advance = 0;
  const { glyphs, positions } = font.layout(text);
  const paths = glyphs.map(({ path }, index) => {
    const x = xMm + advance * scale;
    advance += positions?.[index]?.xAdvance ?? 0;
    const place = `translate(${x.toFixed(3)} ${yMm.toFixed(3)}) scale(${scale} ${-scale})`;
    return `<path transform="${place}" d="${path.toSVG()}" fill="#1c1c1c"/>`;
  });
  return paths.join('');
}

/** Renders a page as an image at this resolution. */
export async function drawPage({ svg, widthMm, heightMm }: Page, pixelsPerMm: number) {
  // If the judges run in this process, they have blocked all loaders except photographs.
  sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] });
  const width = Math.round(widthMm * pixelsPerMm);
  const height = Math.round(heightMm * pixelsPerMm);
  const drawn = sharp(Buffer.from(svg), { density: 96 }).resize(width, height, { fit: 'fill' });
  return { pixels: await drawn.removeAlpha().raw().toBuffer(), width, height };
}
