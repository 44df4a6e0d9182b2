import { readFileSync } from 'node:fs';
import sharp, { type Sharp } from 'sharp';
import { readJpeg2000 } from '../../activities/proofs/face/jpeg2000.ts';
import type { FaceAction, FaceFrame } from '../../domain/proofs/face/challenge.ts';
import type { PhoneFailure } from '../failures/failures.ts';
import { framesWith, isOfCamera } from './face-faults.ts';
import { answerWithFace, photographFace, type Camera } from './face-frames.ts';
import type { Head } from './head.ts';
import { headOf, samplePeople, type Person } from './people.ts';

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

async function stranger(): Promise<Person> {
  // Who looks into the camera on the picture, as few others do.
  const [, person] = await samplePeople(5, 2);
  if (!person) throw new Error('the demonstration picture shows nobody');
  return person;
}

/** A portrait of nobody, as large as one of somebody. */
export async function emptyPortrait(): Promise<Uint8Array> {
  const create = { width: 320, height: 400, channels: 3, background: '#b9c4cf' } as const;
  return new Uint8Array(await sharp({ create }).jpeg().toBuffer());
}

/**
 * What the camera sees of whoever answers a challenge: the holder of the passport, or one of
 * `faceFailures`: somebody else, two people in turn, a photograph of the holder that is held still.
 */
export async function showFace(
  actions: readonly FaceAction[],
  fail: PhoneFailure | undefined,
  camera: Camera = { random: Math.random },
): Promise<FaceFrame[]> {
  const one = await (fail === 'face' ? stranger().then(({ head }) => head) : holder());
  const frames = await answerWithFace(one, actions, camera);
  if (fail === 'liveness') return posed(frames, one, {}, camera);
  if (fail === 'face_aside') return posed(frames, one, aside, camera);
  if (fail === 'face_switch') {
    const other = await answerWithFace((await stranger()).head, actions, camera);
    const half = Math.trunc(frames.length / 2);
    return [...frames.slice(0, half), ...other.slice(half).map(atTimesOf(frames.slice(half)))];
  }
  // A camera's fault is told before what the head does, which would hide it now and then.
  const seen = isOfCamera(fail) ? await posed(frames, one, {}, camera) : frames;
  return framesWith(fail, seen, async () => (await stranger()).portrait);
}

/** Turned further than can be compared, and no further than is known. */
const aside = { yaw: 24 };

/** The same moments, the head held in one way in all of them. */
const posed = (
  frames: readonly FaceFrame[],
  head: Head,
  pose: Parameters<typeof photographFace>[1],
  camera: Camera,
): Promise<FaceFrame[]> =>
  Promise.all(
    frames.map(async (frame) => ({ ...frame, image: await photographFace(head, pose, camera) })),
  );

const atTimesOf =
  (taken: readonly FaceFrame[]) =>
  ({ image, action, atMs }: FaceFrame, index: number): FaceFrame => ({
    image,
    action,
    atMs: taken[index]?.atMs ?? atMs,
  });
