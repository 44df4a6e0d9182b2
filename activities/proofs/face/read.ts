import sharp from 'sharp';
import type { Picture } from '../../../domain/images/grey.ts';
import { cutOut, shifted, type Cut } from '../../../domain/images/picture.ts';
import { framesMax, type FaceFrame } from '../../../domain/proofs/face/challenge.ts';
import { printOf } from '../../../domain/proofs/face/print.ts';
import { isCutOff, qualityOfFace } from '../../../domain/proofs/face/quality.ts';
import type {
  FaceImages,
  FaceReading,
  ImageReading,
  SeenFace,
} from '../../../domain/proofs/face/reading.ts';
import { ImageRefused, readColours, normalizeImage } from '../images/normalize-image.ts';
import { findFaces, findSmallFaces, type FoundFace } from './find.ts';
import { isJpeg2000, readJpeg2000 } from './jpeg2000.ts';
import { mesh, middleOf, readLandmarks, type FacePoint, type Landmarks } from './landmarks.ts';
import type { FaceModels } from './models.ts';
import { reliefOf, type FaceView } from './relief.ts';

/** Enough for a face that fills a fifth of the frame. */
const frameSidePxMax = 640;
/** For a photographed page that contains the portrait. */
const portraitSidePxMax = 2400;
/** Size of the stored portrait: the head and some of its surroundings. */
const keptSidePxMax = 800;
const keptShare = 1.6;

/**
 * Normalizes a submitted portrait and frames, and returns the images to store and their reading.
 * The largest face of the portrait is stored, with its surroundings. A file that is not an image is
 * not stored. Run it in a thread.
 */
export async function takeFaces(given: {
  readonly portrait: Uint8Array;
  readonly frames: readonly Pick<FaceFrame, 'image'>[];
}): Promise<{ images: FaceImages; reading: FaceReading }> {
  const models = await modelsOf();
  const portrait = await orRefused(given.portrait, () => takePortrait(given.portrait, models));
  const frames: Uint8Array[] = [];
  for (const { image } of given.frames.slice(0, framesMax)) {
    frames.push(await orRefused(image, () => normalizeImage(image, frameSidePxMax)));
  }
  const images = { portrait, frames };
  return { images, reading: await readFaces(images) };
}

/**
 * Reads a portrait and frames: whether and where there is a face, its pose and its descriptor. The
 * same images give the same reading. It does not throw for the content of an image.
 */
export async function readFaces({ portrait, frames }: FaceImages): Promise<FaceReading> {
  const models = await modelsOf();
  const seen: Seen[] = [];
  const main = await readImage(() => openPortrait(portrait), findSmallFaces, models);
  for (const frame of frames.slice(0, framesMax)) {
    seen.push(await readImage(() => readColours(frame, frameSidePxMax), findFaces, models));
  }
  return { reader: models.digest, portrait: main.image, frames: withReliefs(seen) };
}

interface Seen {
  readonly image: ImageReading;
  /** Null without a face. */
  readonly view: FaceView | null;
}

/** With less turn, the nose shows no relief. */
const turnedDegreesMin = 10;

/** Compares each turned face with the first one, which looks straight in an honest submission. */
function withReliefs(seen: readonly Seen[]): ImageReading[] {
  const first = seen.find(({ view }) => view);
  const [from, yaw] = [first?.view, first?.image.face?.pose.yaw ?? 0];
  return seen.map(({ image, view }) => {
    const { face } = image;
    if (!face || !from || !view) return image;
    if (Math.abs(face.pose.yaw - yaw) < turnedDegreesMin) return image;
    const relief = reliefOf(from, view);
    return { ...image, face: { ...face, relief: relief === null ? null : rounded(relief, 3) } };
  });
}

/** Imports the models only here: they load slowly, and other tasks of a thread do not need them. */
async function modelsOf(): Promise<FaceModels> {
  const { openModels } = await import('./models.ts');
  return openModels();
}

/** @throws ImageRefused */
export const openPortrait = (bytes: Uint8Array): Promise<Picture> =>
  isJpeg2000(bytes) ? readJpeg2000(bytes) : readColours(bytes, portraitSidePxMax);

async function takePortrait(bytes: Uint8Array, models: FaceModels): Promise<Uint8Array> {
  const { data, width, height } = await openPortrait(bytes);
  const [face] = findSmallFaces({ data, width, height }, models);
  const image = sharp(data, { raw: { width, height, channels: 3 } });
  const kept = face ? image.extract(around(face, width, height)) : image;
  const small = kept.resize(keptSidePxMax, keptSidePxMax, {
    fit: 'inside',
    withoutEnlargement: true,
  });
  return new Uint8Array(await small.jpeg({ quality: 92, chromaSubsampling: '4:4:4' }).toBuffer());
}

/** Returns the part of a portrait to store, within the bounds of the picture. */
export function around(
  { centre, sidePx }: Pick<FoundFace, 'centre' | 'sidePx'>,
  width: number,
  height: number,
) {
  const half = (sidePx * keptShare) / 2;
  // A center may be in the padding of a long picture.
  const within = (edge: number, side: number): number =>
    Math.min(side - 1, Math.max(0, Math.round(edge)));
  const from = { left: within(centre.x - half, width), top: within(centre.y - half, height) };
  return {
    ...from,
    width: Math.max(1, Math.min(width, Math.round(centre.x + half)) - from.left),
    height: Math.max(1, Math.min(height, Math.round(centre.y + half)) - from.top),
  };
}

/** Length of the prefix that is kept of a file that is not an image. It is judged as it is. */
const refusedBytesMax = 64;

async function orRefused(bytes: Uint8Array, take: () => Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await take();
  } catch (error) {
    if (error instanceof ImageRefused) return bytes.slice(0, refusedBytesMax);
    throw error;
  }
}

async function readImage(
  open: () => Promise<Picture>,
  find: typeof findFaces,
  models: FaceModels,
): Promise<Seen> {
  try {
    const picture = await open();
    const found = find(picture, models);
    const [largest] = found;
    const read = largest ? readLandmarks(picture, largest, models) : null;
    const face = read && readFace(picture, read, models);
    const image = { refused: null, faces: found.length, face, print: printOf(picture) };
    return { image, view: read && { picture, points: read.points } };
  } catch (error) {
    if (!(error instanceof ImageRefused)) throw error;
    return { image: { refused: error.message, faces: 0, face: null, print: null }, view: null };
  }
}

function readFace(picture: Picture, read: Landmarks, models: FaceModels): SeenFace {
  const { points, cut, pose, eyes } = read;
  const [right, left] = [middleOf(points, mesh.rightEye), middleOf(points, mesh.leftEye)];
  const longer = Math.max(picture.width, picture.height);
  const eyesApart = Math.hypot(left.x - right.x, left.y - right.y);
  const [above, below] = mesh.innerLips.map((number) => points[number] ?? { x: 0, y: 0 });
  const lipsApart = Math.hypot(
    (below?.x ?? 0) - (above?.x ?? 0),
    (below?.y ?? 0) - (above?.y ?? 0),
  );
  const copy = shifted(cutOut(picture, cut, 128), 255, 0);
  return {
    certainty: rounded(read.certainty, 2),
    eyesApartPx: rounded(eyesApart, 0),
    ...qualityOfFace(picture, cut),
    isCut: isCutOff(picture, points),
    pose: {
      yaw: rounded(pose.yaw, 1),
      pitch: rounded(pose.pitch, 1),
      roll: rounded(pose.roll, 1),
    },
    eyes: { left: rounded(eyes.left, 3), right: rounded(eyes.right, 3) },
    mouth: rounded(lipsApart / Math.max(1, eyesApart), 3),
    relief: null,
    points: mesh.rigid.flatMap((number) => {
      const { x = 0, y = 0 } = points[number] ?? {};
      return [rounded((x * 1000) / longer, 2), rounded((y * 1000) / longer, 2)];
    }),
    realness: rounded(models.realness(copy), 2),
    descriptor: Array.from(models.describe(cutOut(picture, alignedCut(points), 150)), (value) =>
      rounded(value, 4),
    ),
  };
}

/** Returns the square as in the network's training, sized by the distance from eyes to mouth. */
function alignedCut(points: readonly FacePoint[]): Cut {
  const [right, left] = [middleOf(points, mesh.rightEye), middleOf(points, mesh.leftEye)];
  const mouth = middleOf(points, mesh.mouth);
  const toMouth = [right, left].map(({ x, y }) => Math.hypot(mouth.x - x, mouth.y - y));
  const sidePx = toMouth.reduce((sum, each) => sum + each, 0) / 2 / 0.45;
  const turn = Math.atan2(left.y - right.y, left.x - right.x);
  const middle = { x: (right.x + left.x + mouth.x) / 3, y: (right.y + left.y + mouth.y) / 3 };
  // The middle of the face is a little above the center of the square, along the face.
  const below = 0.07 * sidePx;
  const centre = {
    x: middle.x - Math.sin(turn) * below,
    y: middle.y + Math.cos(turn) * below,
  };
  return { centre, sidePx, turn };
}

const rounded = (value: number, digits: number): number => {
  const text = Number.isFinite(value) ? value.toFixed(digits) : '0';
  return Number(text) + 0;
};
