import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Picture } from '../../../domain/images/grey.ts';
import { imageHeaderOf } from '../../../domain/images/image-header.ts';
import { MalformedDer } from '../../../domain/pki/read-der.ts';
import { ImageRefused } from '../images/normalize-image.ts';
import { withoutListeners } from './without-listeners.ts';

/** ICAO 9303-10 requires about 400 by 500. */
const pixelsMax = 1_000_000;
const bytesMax = 1024 * 1024;
const componentsMax = 4;
const tilesMax = 1024;
const layersMax = 64;
const levelsMax = 10;
/** Exponent of two. The lowest level may be smaller. */
const precinctMin = 5;
const segmentsMax = 4096;

interface Decoder {
  getEncodedBuffer(sizeBytes: number): Uint8Array;
  decode(): void;
  getFrameInfo(): { width: number; height: number; bitsPerSample: number; componentCount: number };
  getDecodedBuffer(): Uint8Array;
  delete(): void;
}

interface Codec {
  readonly J2KDecoder: new () => Decoder;
}

type OpenCodec = (options: {
  wasmBinary: Uint8Array;
  print: () => void;
  printErr: () => void;
}) => Promise<Codec>;

const require = createRequire(import.meta.url);
let opened: Promise<Codec> | null = null;

/**
 * Reports whether bytes start like JPEG 2000: a file (ITU-T T.800 Annex I) or a bare codestream.
 */
export const isJpeg2000 = (bytes: Uint8Array): boolean =>
  [fileMark, codestreamMark].some((mark) => mark.every((byte, index) => bytes[index] === byte));

const fileMark = [0, 0, 0, 12, 0x6a, 0x50, 0x20, 0x20];
const codestreamMark = [0xff, 0x4f, 0xff, 0x51];

/**
 * Decodes JPEG 2000, the format of portraits in passport chips (ICAO 9303-10). Checks the size of
 * every codestream before it decodes.
 * @throws ImageRefused
 */
export async function readJpeg2000(bytes: Uint8Array): Promise<Picture> {
  checkJpeg2000(bytes);
  const codec = await openCodec();
  const decoder = new codec.J2KDecoder();
  try {
    decoder.getEncodedBuffer(bytes.length).set(bytes);
    decoder.decode();
    const { width, height, bitsPerSample, componentCount } = decoder.getFrameInfo();
    if (bitsPerSample !== 8) throw new ImageRefused('JPEG 2000 of other than 8 bits');
    const raw = decoder.getDecodedBuffer();
    if (width * height < 1 || raw.length !== width * height * componentCount) {
      throw new ImageRefused('cannot be decoded');
    }
    return { data: coloursOf(raw, componentCount), width, height };
  } catch (cause) {
    if (cause instanceof ImageRefused) throw cause;
    // A decoder that trapped is discarded.
    opened = null;
    throw new ImageRefused('cannot be decoded', { cause });
  } finally {
    release(decoder);
  }
}

function release(decoder: Decoder): void {
  try {
    decoder.delete();
  } catch {
    opened = null;
  }
}

function openCodec(): Promise<Codec> {
  opened ??= withoutListeners(async () => {
    const open: OpenCodec = require('@cornerstonejs/codec-openjpeg/decodewasmjs');
    const wasm = require.resolve('@cornerstonejs/codec-openjpeg/decodewasm');
    const silent = (): void => {};
    return open({ wasmBinary: await readFile(wasm), print: silent, printErr: silent });
  });
  return opened;
}

/** Returns RGB: gray is copied to three channels, and alpha is dropped. */
function coloursOf(raw: Uint8Array, componentCount: number): Uint8Array {
  if (componentCount === 3) return new Uint8Array(raw);
  const pixels = raw.length / componentCount;
  const data = new Uint8Array(pixels * 3);
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    for (let channel = 0; channel < 3; channel += 1) {
      const from = componentCount < 3 ? 0 : channel;
      data[pixel * 3 + channel] = raw[pixel * componentCount + from] ?? 0;
    }
  }
  return data;
}

/**
 * Checks the cost of decoding every codestream. A file can state one size and contain a codestream
 * of another.
 * @throws ImageRefused
 */
export function checkJpeg2000(bytes: Uint8Array): void {
  if (bytes.length > bytesMax) throw new ImageRefused('JPEG 2000 over 1 MiB');
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let [at, seen] = [-1, 0];
  try {
    const stated = imageHeaderOf(bytes);
    if (stated.width * stated.height > pixelsMax) throw new ImageRefused('too many pixels');
    while ((at = buffer.indexOf(Buffer.from(codestreamMark), at + 1)) >= 0) {
      checkCodestream(bytes.subarray(at));
      seen += 1;
    }
  } catch (cause) {
    if (cause instanceof ImageRefused) throw cause;
    if (cause instanceof MalformedDer || cause instanceof RangeError) {
      throw new ImageRefused('cannot be decoded', { cause });
    }
    throw cause;
  }
  if (seen === 0) throw new ImageRefused('cannot be decoded');
}

/** Checks SIZ (ITU-T T.800 §A.5.1): the grid, its tiles and the number of components. */
function checkCodestream(bytes: Uint8Array): void {
  const { width, height } = imageHeaderOf(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [tileWidth, tileHeight] = [view.getUint32(24), view.getUint32(28)];
  const tiles =
    Math.ceil(view.getUint32(8) / tileWidth) * Math.ceil(view.getUint32(12) / tileHeight);
  const components = view.getUint16(40);
  if (width * height > pixelsMax || !(tiles <= tilesMax) || components > componentsMax) {
    throw new ImageRefused('too many pixels');
  }
  checkCoding(view);
}

const [cod, coc, poc, sot, sod, eoc] = [0xff52, 0xff53, 0xff5f, 0xff90, 0xff93, 0xffd9];

/**
 * Checks the segments of the main header and of each tile-part header (ITU-T T.800 §A.2). With
 * layers and small precincts, few bytes can require much memory and time. Portraits have no order
 * changes.
 */
function checkCoding(view: DataView): void {
  let [at, tileEnd] = [2, 0];
  for (let step = 0; at + 2 <= view.byteLength; step += 1) {
    if (step === segmentsMax) throw new ImageRefused('too many segments');
    const marker = view.getUint16(at);
    if (marker === eoc) return;
    if (marker === sod) {
      if (tileEnd <= at) return;
      at = tileEnd;
      continue;
    }
    const length = view.getUint16(at + 2);
    if (marker < 0xff00 || length < 2) throw new ImageRefused('cannot be decoded');
    if (marker === poc) throw new ImageRefused('JPEG 2000 of changing order');
    if (marker === cod) {
      if (view.getUint16(at + 6) > layersMax) throw new ImageRefused('too many layers');
      checkLevels(view, at + 9, (view.getUint8(at + 4) & 1) === 1);
    }
    if (marker === coc) checkLevels(view, at + 6, (view.getUint8(at + 5) & 1) === 1);
    if (marker === sot) tileEnd = view.getUint32(at + 6) === 0 ? 0 : at + view.getUint32(at + 6);
    at += 2 + length;
  }
}

/** Checks the levels of a component, and the precincts four bytes after the number of levels. */
function checkLevels(view: DataView, at: number, hasPrecincts: boolean): void {
  const levels = view.getUint8(at);
  if (levels > levelsMax) throw new ImageRefused('too many levels');
  if (!hasPrecincts) return;
  for (let level = 1; level <= levels; level += 1) {
    const precinct = view.getUint8(at + 5 + level);
    if (Math.min(precinct & 15, precinct >> 4) < precinctMin) {
      throw new ImageRefused('precincts too small');
    }
  }
}
