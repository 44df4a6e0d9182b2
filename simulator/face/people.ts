import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { findFaces } from '../../activities/proofs/face/find.ts';
import { openModels } from '../../activities/proofs/face/models.ts';
import { readColours } from '../../activities/proofs/images/normalize-image.ts';
import type { Picture } from '../../domain/images/grey.ts';
import { openHead, type Head } from './head.ts';

/** A person whose photograph may be used here, with its source. */
export interface Person {
  readonly name: string;
  /** People of one group are in one photograph, so they are all different. */
  readonly group: string;
  readonly head: Head;
  /** The photograph as a portrait. */
  readonly portrait: Uint8Array;
}

const require = createRequire(import.meta.url);
const samplesFolder = join(dirname(require.resolve('@vladmandic/face-api')), '..', 'demo');
/** Width of the head in a frame. */
const facePx = 300;

/** Number of pictures. */
export const samples = 6;

/**
 * Returns the people on a demonstration picture (1 to 6) of a package, nearest first. The picture
 * is read from the installed package and never copied into this repository.
 */
export async function samplePeople(
  number: number,
  facesMax = Number.POSITIVE_INFINITY,
): Promise<Person[]> {
  const models = await openModels();
  const people: Person[] = [];
  const bytes = new Uint8Array(readFileSync(join(samplesFolder, `sample${number}.jpg`)));
  const { data, width, height } = await readColours(bytes, 2400);
  const found = findFaces({ data, width, height }, models).slice(0, facesMax);
  for (const [index, { centre, sidePx }] of found.entries()) {
    const cut = cutAround(centre, sidePx * 1.7, width, height);
    const image = sharp(data, { raw: { width, height, channels: 3 } }).extract(cut);
    const scale = (facePx * 1.7) / Math.max(cut.width, cut.height);
    const sized = image.resize(Math.round(cut.width * scale), Math.round(cut.height * scale));
    const head = await headOf(sized).catch(() => null);
    const name = `sample ${number}.${index + 1}`;
    if (head) people.push({ name, group: `${number}`, head, portrait: await jpegOf(sized) });
  }
  return people;
}

const jpegOf = async (image: Sharp): Promise<Uint8Array> =>
  new Uint8Array(await image.clone().jpeg({ quality: 92 }).toBuffer());

export async function headOf(image: Sharp): Promise<Head> {
  const flat = await image.png().toBuffer();
  const picture: Picture = await readColours(new Uint8Array(flat), 800);
  return openHead(picture);
}

function cutAround(
  { x, y }: { readonly x: number; readonly y: number },
  sidePx: number,
  width: number,
  height: number,
) {
  const [left, top] = [Math.max(0, x - sidePx / 2), Math.max(0, y - sidePx / 2)].map(Math.round);
  return {
    left: left ?? 0,
    top: top ?? 0,
    width: Math.round(Math.min(width, x + sidePx / 2)) - (left ?? 0),
    height: Math.round(Math.min(height, y + sidePx / 2)) - (top ?? 0),
  };
}
