import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { readJpeg2000 } from '../../activities/face/jpeg2000.ts';
import { headOf, type Person } from '../../cli/phone/people.ts';

const specimen = new URL('../vectors/nfc-dg2-iso39794-face.jp2', import.meta.url);

/** The holder of the passport specimen of ICAO (`SOURCES.md` of the vectors). */
export async function specimenPerson(): Promise<Person> {
  const bytes = new Uint8Array(readFileSync(specimen));
  const picture = await readJpeg2000(bytes);
  const { data, width, height } = picture;
  const raw = sharp(data, { raw: { width, height, channels: 3 } });
  const wide = raw.extend({ top: 60, left: 70, right: 70, extendWith: 'copy' });
  return { name: 'specimen', group: 'specimen', head: await headOf(wide), portrait: bytes };
}
