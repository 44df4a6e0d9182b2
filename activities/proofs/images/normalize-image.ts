import sharp, { type Sharp } from 'sharp';
import type { Grey, Picture } from '../../../domain/images/grey.ts';
import { isDecodedImage } from '../../../domain/images/media-type.ts';

/** Maximum pixels of a photograph. Phones make 12 to 50 million. */
const pixelsMax = 50_000_000;
const imageBytesMax = 10 * 1024 * 1024;
/**
 * Limit for images that are not decoded row by row: no thread limit bounds their memory. Measured:
 * 50 million pixels of 16 bits with alpha, interlaced, took 580 MB.
 */
const heldBytesMax = 128 * 1024 * 1024;
/** For stored documents: 2 pixels per stroke of an MRZ that fills half the width. */
const sideMax = 2400;
const sideMin = 200;
const decodeSecondsMax = 10;
/** For logos: pages show them at 44 pixels. */
const logoSideMax = 256;
/** Limits memory: 16 million pixels take 64 MB decoded. A logo of 1 MiB does not need more. */
const logoPixelsMax = 4096 * 4096;

// The decoder knows many formats. Untrusted bytes may only reach these three.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
});
// One image at a time in each thread, without caching.
sharp.concurrency(1);
sharp.cache(false);

/** The image is not accepted: its type, size or bytes. */
export class ImageRefused extends Error {
  override readonly name = 'ImageRefused';
}

/**
 * Converts a photograph to the form that is stored and judged: a new JPEG, upright, of bounded
 * size, without metadata. The first bytes determine the format, and limits are checked before
 * decoding. The same bytes give the same result.
 * @throws ImageRefused
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
 * Converts an image to a logo: a PNG in sRGB of at most 256 pixels a side, without metadata. Keeps
 * proportions and transparency. Returns null for an image that is not accepted.
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

/**
 * Returns the brightness of an image, under the same limits.
 * @throws ImageRefused
 */
export async function readGrey(bytes: Uint8Array): Promise<Grey> {
  checkSize(bytes);
  return decoded(async () => {
    await assertMemoryBound(bytes);
    const image = await pixelsOf(open(bytes, sideMax).greyscale());
    if (Math.min(image.width, image.height) < sideMin) throw new ImageRefused('too few pixels');
    return image;
  });
}

/**
 * Returns red, green and blue of an image, under the same limits.
 * @throws ImageRefused
 */
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

/** Opens an image upright and with bounded size. */
const inside = (bytes: Uint8Array, sidePxMax: number, limitInputPixels: number): Sharp =>
  sharp(bytes, { limitInputPixels, failOn: 'error', pages: 1 })
    .timeout({ seconds: decodeSecondsMax })
    .autoOrient()
    .resize(sidePxMax, sidePxMax, { fit: 'inside', withoutEnlargement: true });

/** Opens an image without transparency. */
const open = (bytes: Uint8Array, sidePxMax: number): Sharp =>
  inside(bytes, sidePxMax, pixelsMax).flatten({ background: '#808080' });

function checkSize(bytes: Uint8Array): void {
  if (bytes.length > imageBytesMax) throw new ImageRefused('over 10 MiB');
  if (!isDecodedImage(bytes)) throw new ImageRefused('no JPEG, PNG or WebP');
}

/** Interlaced and progressive images are decoded as a whole; a JPEG as two-byte coefficients. */
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
