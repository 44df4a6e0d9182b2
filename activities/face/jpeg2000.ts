import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Picture } from '../document/grey.ts';
import { ImageRefused } from '../document/intake.ts';
import { MalformedDer } from '../passport/der.ts';
import { imageHeaderOf } from '../passport/image-header.ts';
import { withoutListeners } from './without-listeners.ts';

/** ICAO 9303-10 asks for some 400 by 500. */
const pixelsMax = 4_000_000;
const bytesMax = 1024 * 1024;
const componentsMax = 4;
const tilesMax = 1024;

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

/** Whether bytes begin as JPEG 2000 does: a file (ITU-T T.800 Annex I) or a bare codestream. */
export const isJpeg2000 = (bytes: Uint8Array): boolean =>
  [fileMark, codestreamMark].some((mark) => mark.every((byte, index) => bytes[index] === byte));

const fileMark = [0, 0, 0, 12, 0x6a, 0x50, 0x20, 0x20];
const codestreamMark = [0xff, 0x4f, 0xff, 0x51];

/**
 * Decodes JPEG 2000, as chips of passports hold portraits (ICAO 9303-10). What it would take is
 * read from every codestream in it before any is decoded. Throws `ImageRefused`.
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
    // One that trapped is not asked again.
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

/** Grey becomes colour; what is fourth is how much shows through. */
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
 * What decoding would take, by every codestream there is: a file may state one size and hold a
 * codestream of another. Throws `ImageRefused`.
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

/** SIZ (ITU-T T.800 §A.5.1): the grid, its tiles and how many components there are. */
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
}
