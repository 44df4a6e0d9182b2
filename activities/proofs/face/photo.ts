import sharp from 'sharp';
import { photoBytesMax, photoSides } from '../../../domain/proofs/face/photo-bounds.ts';
import { ImageRefused } from '../images/normalize-image.ts';
import { openPortrait } from './read.ts';

/** A portrait as the claim `photo` and an affidavit show it. */
export interface Photo {
  /** JPEG in sRGB without metadata. */
  readonly jpeg: Uint8Array;
  readonly width: number;
  readonly height: number;
}

const quality = 80;

/**
 * Makes the photo from the portrait in a chip, JPEG or JPEG 2000; null if it is not an image. The
 * same bytes give the same photo. Run it in a thread: decoders read untrusted bytes.
 */
export async function takePhoto(portrait: Uint8Array): Promise<Photo | null> {
  try {
    const { data, width, height } = await openPortrait(portrait);
    const { data: jpeg, info } = await sharp(data, { raw: { width, height, channels: 3 } })
      .resize({ ...photoSides, fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality })
      .toBuffer({ resolveWithObject: true });
    if (jpeg.length > photoBytesMax) return null;
    return { jpeg: new Uint8Array(jpeg), width: info.width, height: info.height };
  } catch (error) {
    if (error instanceof ImageRefused) return null;
    throw error;
  }
}
