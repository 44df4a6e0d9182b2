import type { Picture, Point } from '../../../domain/images/grey.ts';
import { cutOut, fromCut, shifted, type Cut } from '../../../domain/images/picture.ts';
import type { FoundFace } from './find.ts';
import type { FaceModels } from './models.ts';

/** A point of a face in the image. `z` is its depth behind the face's center, also in pixels. */
export interface FacePoint extends Point {
  readonly z: number;
}

/** The points of a face and the pose of the head. */
export interface Landmarks {
  readonly certainty: number;
  readonly points: readonly FacePoint[];
  /** The square that the points were read from, upright. */
  readonly cut: Cut;
  readonly pose: { readonly yaw: number; readonly pitch: number; readonly roll: number };
  readonly eyes: { readonly left: number; readonly right: number };
}

const side = 192;
const eyeSide = 64;
/** In widths of an eye. */
const eyeEnlarged = 2.3;
const count = 468;

/** Numbers of points in the mesh. Left and right are the person's. */
export const mesh = {
  rightEye: [33, 133],
  leftEye: [362, 263],
  mouth: [61, 291, 0, 17, 13, 14],
  innerLips: [13, 14],
  rightCheek: 234,
  leftCheek: 454,
  forehead: 10,
  chin: 152,
  /** Points that no expression moves: corners of the eyes, nose, brow, temples, cheekbones. */
  rigid: [
    33, 133, 362, 263, 1, 4, 5, 6, 168, 197, 195, 129, 358, 98, 327, 10, 151, 9, 67, 297, 234, 454,
    127, 356, 93, 323, 50, 280, 117, 346,
  ],
} as const;

/** Reads a detected face: its points (MediaPipe Face Mesh), its pose, its eyes. */
export function readLandmarks(picture: Picture, found: FoundFace, models: FaceModels): Landmarks {
  const first = readMesh(picture, found, models);
  const cut = around(first.points);
  // The detector is less certain about a turned head, so the mesh is read again.
  const { points, certainty } = isNear(found, cut) ? first : readMesh(picture, cut, models);
  return { certainty, points, cut, pose: poseOf(points), eyes: readEyes(picture, points, models) };
}

function readMesh(picture: Picture, cut: Cut, models: FaceModels) {
  const face = shifted(cutOut(picture, cut, side), 255, 0);
  const { points: raw, certainty } = models.mesh(face);
  const toPicture = fromCut(cut, side);
  const points = Array.from({ length: count }, (_, index) => ({
    ...toPicture(raw[index * 3] ?? 0, raw[index * 3 + 1] ?? 0),
    z: ((raw[index * 3 + 2] ?? 0) * cut.sidePx) / side,
  }));
  return { points, certainty };
}

const isNear = (one: Cut, other: Cut): boolean =>
  Math.hypot(one.centre.x - other.centre.x, one.centre.y - other.centre.y) < other.sidePx / 16 &&
  Math.abs(one.turn - other.turn) < 0.1 &&
  Math.abs(one.sidePx / other.sidePx - 1) < 0.15;

/** Returns the square around the points of a face, rotated with its eyes. */
function around(points: readonly FacePoint[]): Cut {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const [one, other] = [middleOf(points, mesh.rightEye), middleOf(points, mesh.leftEye)];
  return {
    centre: { x: (left + right) / 2, y: (top + bottom) / 2 },
    sidePx: Math.max(right - left, bottom - top) * 1.4,
    turn: Math.atan2(other.y - one.y, other.x - one.x),
  };
}

/** Returns the mean of some points. */
export function middleOf(points: readonly FacePoint[], numbers: readonly number[]): FacePoint {
  const chosen = numbers.map((number) => points[number] ?? { x: 0, y: 0, z: 0 });
  const mean = (axis: 'x' | 'y' | 'z'): number =>
    chosen.reduce((sum, point) => sum + point[axis], 0) / chosen.length;
  return { x: mean('x'), y: mean('y'), z: mean('z') };
}

const degrees = (radians: number): number => (radians * 180) / Math.PI;

/** Returns the pose of a head, from the axes cheek to cheek and forehead to chin. */
function poseOf(points: readonly FacePoint[]): Landmarks['pose'] {
  const at = (number: number): FacePoint => points[number] ?? { x: 0, y: 0, z: 0 };
  const [right, left] = [at(mesh.rightCheek), at(mesh.leftCheek)];
  const [top, bottom] = [at(mesh.forehead), at(mesh.chin)];
  const across = Math.hypot(left.x - right.x, left.y - right.y);
  const down = Math.hypot(bottom.x - top.x, bottom.y - top.y);
  return {
    yaw: degrees(Math.atan2(left.z - right.z, across)),
    pitch: degrees(Math.atan2(top.z - bottom.z, down)),
    roll: degrees(Math.atan2(left.y - right.y, left.x - right.x)),
  };
}

/** Lid points in the numbering of the eye network, corner to corner. */
const lower = [1, 2, 3, 4, 5, 6, 7];
const upper = [9, 10, 11, 12, 13, 14, 15];
const corners = [0, 8] as const;
const numbersPerEye = 76 * 3;

/**
 * Returns how far both eyes are open. The network only knows right eyes, so the left is mirrored.
 */
function readEyes(picture: Picture, points: readonly FacePoint[], models: FaceModels) {
  const cuts = [mesh.rightEye, mesh.leftEye].map((eye, index): Cut => {
    const [one, other] = eye.map((number) => points[number] ?? { x: 0, y: 0, z: 0 });
    const [dx, dy] = [(other?.x ?? 0) - (one?.x ?? 0), (other?.y ?? 0) - (one?.y ?? 0)];
    return {
      centre: middleOf(points, eye),
      sidePx: Math.hypot(dx, dy) * eyeEnlarged,
      turn: Math.atan2(dy, dx),
      isFlipped: index === 1,
    };
  });
  const [right = new Float32Array(), left = new Float32Array()] = cuts.map((cut) =>
    shifted(cutOut(picture, cut, eyeSide), 255, 0),
  );
  const read = models.eyes(right, left);
  return {
    right: opennessOf(read.subarray(0, numbersPerEye)),
    left: opennessOf(read.subarray(numbersPerEye)),
  };
}

/** Returns the mean gap between the lids, relative to the eye's width. */
function opennessOf(numbers: Float32Array): number {
  const at = (number: number): Point => ({
    x: numbers[number * 3] ?? 0,
    y: numbers[number * 3 + 1] ?? 0,
  });
  const apart = (one: number, other: number): number =>
    Math.hypot(at(one).x - at(other).x, at(one).y - at(other).y);
  const gaps = lower.map((number, index) => apart(number, upper[index] ?? 0));
  const width = apart(...corners);
  return width > 0 ? gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length / width : 0;
}
