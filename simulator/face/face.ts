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
 * Returns the portrait in the chip, JPEG 2000: the holder of ICAO's specimen, from gmrtd (MIT).
 * This folder has no other photograph.
 */
export const chipPortrait = (): Uint8Array =>
  new Uint8Array(readFileSync(new URL('specimen-face.jp2', import.meta.url)));

/** Returns the same portrait as printed on the page, JPEG. */
export async function printedPortrait(): Promise<Uint8Array> {
  return new Uint8Array(await (await specimen()).jpeg({ quality: 92 }).toBuffer());
}

async function specimen(): Promise<Sharp> {
  const { data, width, height } = await readJpeg2000(chipPortrait());
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/** Adds margins at the sides, so that the head can turn. */
export const holder = async (): Promise<Head> =>
  headOf((await specimen()).extend({ top: 60, left: 70, right: 70, extendWith: 'copy' }));

async function stranger(): Promise<Person> {
  // A person who looks into the camera on the picture, which few others do.
  const [, person] = await samplePeople(5, 2);
  if (!person) throw new Error('the demonstration picture has no face');
  return person;
}

/** Returns a portrait without a person, of normal size. */
export async function emptyPortrait(): Promise<Uint8Array> {
  const create = { width: 320, height: 400, channels: 3, background: '#b9c4cf' } as const;
  return new Uint8Array(await sharp({ create }).jpeg().toBuffer());
}

/**
 * Returns the frames of the person who responds to a challenge. It is the holder of the passport,
 * or follows one of `faceFailures`: another person, two people in turn, or a still photograph of
 * the holder.
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
  // A camera failure is reported before a head movement, which could sometimes hide it.
  const seen = isOfCamera(fail) ? await posed(frames, one, {}, camera) : frames;
  return framesWith(fail, seen, async () => (await stranger()).portrait);
}

/** Turned too far for a comparison, but within the known range. */
const aside = { yaw: 24 };

/** Returns the same frames with one head pose in all of them. */
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
