import type { Picture, Point } from '../../../domain/images/grey.ts';
import { cutOut, fromCut, shifted, type Cut } from '../../../domain/images/picture.ts';
import type { FaceModels } from './models.ts';

/** The square around a face, upright with the eyes. */
export interface FoundFace extends Cut {
  readonly certainty: number;
}

const side = 256;
const certaintyMin = 0.6;
/** Two detections that share more of their area than this are one face. */
const overlapMax = 0.3;
const facesMax = 10;
/** The network's boxes end at the brows and the chin. */
const enlarged = 1.5;
const numbersPerAnchor = 17;

/** Returns the faces in an image, the largest first (BlazeFace, the model for larger distances). */
export function findFaces(picture: Picture, models: FaceModels): FoundFace[] {
  const { width, height } = picture;
  const centre = { x: width / 2, y: height / 2 };
  return findIn(picture, { centre, sidePx: Math.max(width, height), turn: 0 }, models);
}

/**
 * Like `findFaces`, but the face may be a small part of the image, for instance on a card. If the
 * whole image shows none, overlapping parts of it are searched.
 */
export function findSmallFaces(picture: Picture, models: FaceModels): FoundFace[] {
  const inWhole = findFaces(picture, models);
  if (inWhole.length > 0) return inWhole;
  const sidePx = Math.max(picture.width, picture.height) * 0.5;
  const places = [0.25, 0.5, 0.75].flatMap((y) => [0.25, 0.5, 0.75].map((x) => ({ x, y })));
  const found = places.flatMap(({ x, y }) => {
    const centre = { x: x * picture.width, y: y * picture.height };
    return findIn(picture, { centre, sidePx, turn: 0 }, models);
  });
  return withoutRepeats(found);
}

function findIn(picture: Picture, cut: Cut, models: FaceModels): FoundFace[] {
  const rows = models.boxes(shifted(cutOut(picture, cut, side), 127.5, -1));
  const toPicture = fromCut(cut, side);
  const found = anchors.flatMap((anchor, index) => {
    const start = index * numbersPerAnchor;
    const certainty = 1 / (1 + Math.exp(-(rows[start] ?? 0)));
    if (certainty < certaintyMin) return [];
    const row = rows.subarray(start, start + numbersPerAnchor);
    const at = (place: number): Point =>
      toPicture((row[place] ?? 0) + anchor.x, (row[place + 1] ?? 0) + anchor.y);
    const [right, left] = [at(5), at(7)];
    const sidePx = (Math.max(row[3] ?? 0, row[4] ?? 0) * cut.sidePx * enlarged) / side;
    const turn = Math.atan2(left.y - right.y, left.x - right.x);
    return sidePx > 0 ? [{ centre: at(1), sidePx, turn, certainty }] : [];
  });
  return withoutRepeats(found);
}

/** Keeps the most certain of overlapping detections, and sorts them by size. */
function withoutRepeats(found: readonly FoundFace[]): FoundFace[] {
  const kept: FoundFace[] = [];
  for (const face of found.toSorted((one, other) => other.certainty - one.certainty)) {
    const isNew = kept.every((other) => overlap(face, other) < overlapMax);
    if (isNew && kept.length < facesMax) kept.push(face);
  }
  return kept.toSorted((one, other) => other.sidePx - one.sidePx);
}

function overlap(one: Cut, other: Cut): number {
  const shared = (axis: 'x' | 'y'): number => {
    const [half, otherHalf] = [one.sidePx / 2, other.sidePx / 2];
    const end = Math.min(one.centre[axis] + half, other.centre[axis] + otherHalf);
    return Math.max(0, end - Math.max(one.centre[axis] - half, other.centre[axis] - otherHalf));
  };
  const both = shared('x') * shared('y');
  return both / (one.sidePx ** 2 + other.sidePx ** 2 - both);
}

/** Centers of the network's anchors, in its order: two per fine square, six per coarse square. */
const anchors: readonly Point[] = [
  { stridePx: 16, each: 2 },
  { stridePx: 32, each: 6 },
].flatMap(({ stridePx, each }) => {
  const steps = Array.from({ length: side / stridePx }, (_, index) => (index + 0.5) * stridePx);
  return steps.flatMap((y) => steps.flatMap((x) => Array.from({ length: each }, () => ({ x, y }))));
});
