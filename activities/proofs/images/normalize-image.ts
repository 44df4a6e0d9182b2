import sharp, { type Sharp } from 'sharp';
import type { Grey, Picture } from '../../../domain/images/grey.ts';
import { isDecodedImage } from '../../../domain/images/media-type.ts';

/** What a photograph may hold; phones make 12 to 50 million pixels. */
const pixelsMax = 50_000_000;
const imageBytesMax = 10 * 1024 * 1024;
/**
 * What is not decoded row by row fills memory that no limit of a thread binds: measured, 50 million
 * pixels of 16 bits with transparency, interlaced, took 580 MB.
 */
const heldBytesMax = 128 * 1024 * 1024;
/** Of documents that are kept: 2 pixels a stroke of an MRZ that fills half of it. */
const sideMax = 2400;
const sideMin = 200;
const decodeSecondsMax = 10;
/** Of a logo: pages show it at 44 pixels. */
const logoSideMax = 256;
/** A logo of 1 MiB that has more would only take memory: 16 million pixels, 64 MB decoded. */
const logoPixelsMax = 4096 * 4096;

// Of the many formats the decoder knows, strangers reach these three and no others.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
});
// One image at a time in each thread, and nothing of it remembered.
sharp.concurrency(1);
sharp.cache(false);

/** No image that is taken here: its type, size or bytes. */
export class ImageRefused extends Error {
  override readonly name = 'ImageRefused';
}

/**
 * Makes a photograph into what is kept and judged: a JPEG of our own, upright, of bounded size,
 * with none of the metadata it came with. What it is says its first bytes; caps count before
 * anything is decoded. The same bytes give the same result. Throws `ImageRefused`.
 */
export async function normalizeImage(bytes: Uint8Array, sidePxMax = sideMax): Promise<Uint8Array> {
  checkSize(bytes);
  return decoded(async () => {
    await assertMemoryBound(bytes);
    const image = open(bytes, sidePxMax).toColourspace('srgb');
    return new Uint8Array(await image.jpeg({ quality: 92, chromaSubsampling: '4:4:4' }).toBuffer());
  });
}

/**
 * Makes an image into a logo: a PNG in sRGB of at most 256 pixels a side, with its proportions and
 * its transparency, without metadata. Returns null for what cannot be decoded.
 */
export async function takeLogo(bytes: Uint8Array): Promise<Uint8Array | null> {
  try {
    checkSize(bytes);
    return await decoded(async () => {
      await assertMemoryBound(bytes);
      const image = inside(bytes, logoSideMax, logoPixelsMax).toColourspace('srgb');
      return new Uint8Array(await image.png({ compressionLevel: 9 }).toBuffer());
    });
  } catch (error) {
    if (error instanceof ImageRefused) return null;
    throw error;
  }
}

/** The brightness of an image, under the same caps. Throws `ImageRefused`. */
export async function readGrey(bytes: Uint8Array): Promise<Grey> {
  checkSize(bytes);
  return decoded(async () => {
    await assertMemoryBound(bytes);
    const image = await pixelsOf(open(bytes, sideMax).greyscale());
    if (Math.min(image.width, image.height) < sideMin) throw new ImageRefused('too few pixels');
    return image;
  });
}

/** Red, green and blue of an image, under the same caps. Throws `ImageRefused`. */
export async function readColours(bytes: Uint8Array, sidePxMax: number): Promise<Picture> {
  checkSize(bytes);
  return decoded(async () => {
    await assertMemoryBound(bytes);
    return pixelsOf(open(bytes, sidePxMax).toColourspace('srgb'));
  });
}

async function pixelsOf(image: Sharp): Promise<Grey> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height };
}

/** Upright and of bounded size. */
const inside = (bytes: Uint8Array, sidePxMax: number, limitInputPixels: number): Sharp =>
  sharp(bytes, { limitInputPixels, failOn: 'error', pages: 1 })
    .timeout({ seconds: decodeSecondsMax })
    .autoOrient()
    .resize(sidePxMax, sidePxMax, { fit: 'inside', withoutEnlargement: true });

/** The same, with nothing to be seen through. */
const open = (bytes: Uint8Array, sidePxMax: number): Sharp =>
  inside(bytes, sidePxMax, pixelsMax).flatten({ background: '#808080' });

function checkSize(bytes: Uint8Array): void {
  if (bytes.length > imageBytesMax) throw new ImageRefused('over 10 MiB');
  if (!isDecodedImage(bytes)) throw new ImageRefused('no JPEG, PNG or WebP');
}

/** Interlaced and progressive images are held whole; a JPEG's as coefficients of two octets. */
async function assertMemoryBound(bytes: Uint8Array): Promise<void> {
  const { width, height, channels, depth, format, isProgressive } = await sharp(bytes).metadata();
  if (!isProgressive && format !== 'webp') return;
  const sampleBytes = depth === 'ushort' || format === 'jpeg' ? 2 : 1;
  if (width * height * channels * sampleBytes > heldBytesMax) {
    throw new ImageRefused('too large to be held whole');
  }
}

async function decoded<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ImageRefused) throw cause;
    throw new ImageRefused('cannot be decoded', { cause });
  }
}
