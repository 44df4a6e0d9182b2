import sharp from 'sharp';
import { holder, dayOf, yearMs } from './chip.ts';
import { mrzLines } from './mrz.ts';
import { drawPage, mrzPage } from './page.ts';

/** Blur that no reader gets over, in pixels. */
const shakenPx = 9;

/**
 * A photograph of the data page of the passport whose chip this phone reads, on a grey desk: as it
 * is, of one that has expired, or shaken beyond reading.
 * @param portrait what is printed on it, JPEG; an outline of nobody without one
 */
export async function photographPassport(
  now: Date,
  fail: string | undefined,
  portrait?: Uint8Array,
): Promise<Uint8Array> {
  const years = fail === 'document_expired' ? -0.1 : 6;
  const expiresOn = dayOf(now.getTime() + years * yearMs);
  const fields = { holder, documentNumber: 'L898902C3', expiresOn };
  const page = mrzPage('TD3', fields, mrzLines('TD3', fields), portrait);
  const { pixels, width, height } = await drawPage(page, 11);
  const lying = sharp(pixels, { raw: { width, height, channels: 3 } }).extend({
    top: 90,
    bottom: 110,
    left: 120,
    right: 100,
    background: '#5f656c',
  });
  const seen = await lying.blur(fail === 'document_unreadable' ? shakenPx : 0.6).toBuffer();
  const size = { width: width + 220, height: height + 200, channels: 3 as const };
  return new Uint8Array(await sharp(seen, { raw: size }).jpeg({ quality: 90 }).toBuffer());
}
