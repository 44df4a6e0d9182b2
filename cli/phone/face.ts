import { readFileSync } from 'node:fs';
import sharp, { type Sharp } from 'sharp';
import type { FaceAction, FaceFrame } from '../../activities/face/challenge.ts';
import { readJpeg2000 } from '../../activities/face/jpeg2000.ts';
import { answerWithFace, photographFace, type Camera } from './face-frames.ts';
import type { Head } from './head.ts';
import { headOf, samplePeople } from './people.ts';

/**
 * The portrait in the chip, JPEG 2000: of the holder of ICAO's specimen, as it comes with gmrtd
 * (MIT). Nobody else's photograph lies in this folder.
 */
export const chipPortrait = (): Uint8Array =>
  new Uint8Array(readFileSync(new URL('specimen-face.jp2', import.meta.url)));

/** The same as it is printed on the page, JPEG. */
export async function printedPortrait(): Promise<Uint8Array> {
  return new Uint8Array(await (await specimen()).jpeg({ quality: 92 }).toBuffer());
}

async function specimen(): Promise<Sharp> {
  const { data, width, height } = await readJpeg2000(chipPortrait());
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/** With room beside it, in which a head can turn. */
export const holder = async (): Promise<Head> =>
  headOf((await specimen()).extend({ top: 60, left: 70, right: 70, extendWith: 'copy' }));

async function stranger(): Promise<Head> {
  const [person] = await samplePeople(3, 1);
  if (!person) throw new Error('the demonstration picture shows nobody');
  return person.head;
}

/**
 * What the camera sees of whoever answers a challenge: the holder of the passport, or, with such a
 * fault, somebody else, two people in turn, or a photograph of the holder that is held still.
 */
export async function showFace(
  actions: readonly FaceAction[],
  fail: string | undefined,
): Promise<FaceFrame[]> {
  const camera: Camera = { random: Math.random };
  const one = await (fail === 'face' ? stranger() : holder());
  const frames = await answerWithFace(one, actions, camera);
  if (fail === 'liveness') {
    return Promise.all(
      frames.map(async (frame) => ({ ...frame, image: await photographFace(one, {}, camera) })),
    );
  }
  if (fail !== 'face_switch') return frames;
  const other = await answerWithFace(await stranger(), actions, camera);
  const half = Math.trunc(frames.length / 2);
  return [...frames.slice(0, half), ...other.slice(half).map(atTimesOf(frames.slice(half)))];
}

const atTimesOf =
  (taken: readonly FaceFrame[]) =>
  ({ image, action, atMs }: FaceFrame, index: number): FaceFrame => ({
    image,
    action,
    atMs: taken[index]?.atMs ?? atMs,
  });
