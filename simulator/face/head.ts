import { findFaces } from '../../activities/proofs/face/find.ts';
import { mesh, readLandmarks, type FacePoint } from '../../activities/proofs/face/landmarks.ts';
import { openModels } from '../../activities/proofs/face/models.ts';
import type { Picture, Point } from '../../domain/images/grey.ts';
import { drawTriangle, type Corner } from './triangle.ts';

/** A photograph of a person with depth: the head can turn, and the eyes can close. */
export interface Head {
  readonly picture: Picture;
  readonly points: readonly FacePoint[];
  /** Depth, and how far a point moves with the head, for the corners of a grid, row by row. */
  readonly grid: readonly GridCorner[];
  readonly columns: number;
  readonly rows: number;
  readonly middle: FacePoint;
}

interface GridCorner extends FacePoint {
  readonly share: number;
}

/** Pose of a head in degrees: to its own left, up, and towards its right shoulder. */
export interface HeadPose {
  readonly yaw: number;
  readonly pitch: number;
  readonly roll: number;
  /** 0 open, 1 shut. */
  readonly shut: number;
  /** The mouth: 0 shut, 1 wide open. */
  readonly gape: number;
  readonly shift: readonly [number, number];
}

const stepPx = 6;

/**
 * Makes a head from a photograph of one face. The depth comes from the face points; behind them it
 * is that of a ball.
 * @throws `TypeError` if no face is found
 */
export async function openHead(picture: Picture): Promise<Head> {
  const models = await openModels();
  const [found] = findFaces(picture, models);
  if (!found) throw new TypeError('no face in the photograph');
  const { points } = readLandmarks(picture, found, models);
  const at = (number: number): FacePoint => points[number] ?? { x: 0, y: 0, z: 0 };
  const [top, bottom] = [at(mesh.forehead), at(mesh.chin)];
  const [right, left] = [at(mesh.rightCheek), at(mesh.leftCheek)];
  const radius = Math.hypot(bottom.x - top.x, bottom.y - top.y) / 2;
  const middle = {
    x: (left.x + right.x) / 2,
    y: (top.y + bottom.y) / 2,
    z: (left.z + right.z) / 2 + radius * 0.3,
  };
  const known = [...points, ...around(points, middle, radius)];
  const columns = Math.ceil(picture.width / stepPx) + 1;
  const rows = Math.ceil(picture.height / stepPx) + 1;
  const grid = Array.from({ length: columns * rows }, (_, index): GridCorner => {
    const x = Math.min(picture.width - 1, (index % columns) * stepPx);
    const y = Math.min(picture.height - 1, Math.trunc(index / columns) * stepPx);
    return { x, y, z: depthAt(known, x, y, radius), share: shareAt(middle, x, y, radius) };
  });
  return { picture, points, grid, columns, rows, middle };
}

/**
 * Adds points for hair, ears and the back of the head: ever further behind the edge of the face.
 */
function around(points: readonly FacePoint[], middle: FacePoint, radius: number): FacePoint[] {
  return [1.25, 1.5, 1.8, 2.4].flatMap((reach) =>
    Array.from({ length: 24 }, (_, index) => {
      const angle = (index * Math.PI) / 12;
      const [right, down] = [Math.cos(angle) * radius * 0.85, Math.sin(angle) * radius];
      const edge = nearest(points, middle.x + right, middle.y + down);
      return {
        x: middle.x + right * reach,
        y: middle.y + down * reach,
        z: edge.z + radius * (reach - 1) * 0.9,
      };
    }),
  );
}

function nearest(points: readonly FacePoint[], x: number, y: number): FacePoint {
  const off = (point: Point): number => Math.hypot(point.x - x, point.y - y);
  return points.reduce((best, point) => (off(point) < off(best) ? point : best));
}

function depthAt(known: readonly FacePoint[], x: number, y: number, radius: number): number {
  const spread = 2 * (radius * 0.09) ** 2;
  let [sum, weights] = [0, 0];
  for (const point of known) {
    const off = (point.x - x) ** 2 + (point.y - y) ** 2;
    const weight = Math.exp(-off / spread) + 1e-7 / (1 + off);
    sum += weight * point.z;
    weights += weight;
  }
  return sum / weights;
}

/**
 * Returns the share of movement at a point: 1 on the head, 0 far from it, and between these on the
 * neck.
 */
function shareAt(middle: FacePoint, x: number, y: number, radius: number): number {
  const down = y > middle.y ? (y - middle.y) * 1.15 : middle.y - y;
  const reach = Math.hypot((x - middle.x) / 0.9, down) / radius;
  const left = Math.min(1, Math.max(0, (2.3 - reach) / 1.1));
  return left * left * (3 - 2 * left);
}

/** Photographs a head in a pose. */
export function photographHead(head: Head, pose: HeadPose): Picture {
  const { picture, grid, columns, rows } = head;
  const awake = pose.shut > 0 ? withShutEyes(picture, head.points, pose.shut) : picture;
  const source = pose.gape > 0 ? withOpenMouth(awake, head.points, pose.gape) : awake;
  const corners = grid.map((corner) => moved(corner, head.middle, pose));
  const data = new Uint8Array(picture.data);
  const depths = new Float32Array(picture.width * picture.height).fill(Number.POSITIVE_INFINITY);
  const drawn = { data, width: picture.width, height: picture.height };
  for (let row = 0; row < rows - 1; row += 1) {
    for (let column = 0; column < columns - 1; column += 1) {
      const at = row * columns + column;
      const [a, b, c, d] = [at, at + 1, at + columns, at + columns + 1].map(
        (each) => corners[each],
      );
      if (!a || !b || !c || !d) continue;
      drawTriangle(drawn, depths, source, [a, b, c]);
      drawTriangle(drawn, depths, source, [b, d, c]);
    }
  }
  return drawn;
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Rotates about the neck, behind the face. */
function moved(corner: GridCorner, middle: FacePoint, pose: HeadPose): Corner {
  const [yaw, pitch, roll] = [pose.yaw, pose.pitch, pose.roll].map(radians);
  let { x, y, z } = { x: corner.x - middle.x, y: corner.y - middle.y, z: corner.z - middle.z };
  [x, z] = turnedBy(x, z, yaw ?? 0);
  [y, z] = turnedBy(y, z, -(pitch ?? 0));
  [x, y] = turnedBy(x, y, roll ?? 0);
  const to = (axis: 'x' | 'y', value: number, shift: number): number =>
    corner[axis] + corner.share * (middle[axis] + value - corner[axis] + shift);
  return {
    x: to('x', x, pose.shift[0]),
    y: to('y', y, pose.shift[1]),
    z: corner.z + corner.share * (middle.z + z - corner.z),
    from: corner,
  };
}

const turnedBy = (one: number, other: number, angle: number): [number, number] => [
  one * Math.cos(angle) - other * Math.sin(angle),
  one * Math.sin(angle) + other * Math.cos(angle),
];

/** Mesh points of the upper and lower lids, from corner to corner. */
const lids = [
  {
    upper: [33, 246, 161, 160, 159, 158, 157, 173, 133],
    lower: [33, 7, 163, 144, 145, 153, 154, 155, 133],
  },
  {
    upper: [362, 398, 384, 385, 386, 387, 388, 466, 263],
    lower: [362, 382, 381, 380, 374, 373, 390, 249, 263],
  },
];

/** Draws the skin above the eyes down over them, to a dark line of lashes. */
function withShutEyes(picture: Picture, points: readonly FacePoint[], shut: number): Picture {
  const { width, height } = picture;
  const data = new Uint8Array(picture.data);
  for (const { upper, lower } of lids) {
    const [above, below] = [upper, lower].map((line) => heightOf(line.map((each) => points[each])));
    const [from, to] = [points[upper[0] ?? 0]?.x ?? 0, points[upper.at(-1) ?? 0]?.x ?? 0];
    for (let x = Math.ceil(from); x < to; x += 1) {
      const [top, end] = [(above?.(x) ?? 0) - 2, (below?.(x) ?? 0) + 1];
      const bottom = top + (end - top) * shut;
      const reach = Math.max(3, (end - top) * 0.5);
      for (let y = Math.max(0, Math.floor(top)); y <= Math.min(height - 1, bottom); y += 1) {
        const share = (y - top) / Math.max(1, bottom - top);
        const skin = Math.max(0, Math.round(top - reach * (1 - share) - 1));
        const isLash = bottom - y < 2.2;
        for (let channel = 0; channel < 3; channel += 1) {
          const seen = picture.data[(skin * width + x) * 3 + channel] ?? 0;
          data[(y * width + x) * 3 + channel] = isLash ? seen * 0.45 : seen;
        }
      }
    }
  }
  return { data, width, height };
}

/** Mesh points between the lips, from corner to corner. */
const lipLine = [78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308];
const widest = 0.6;

/** Draws the lower lip and the chin down, with a dark gap. */
function withOpenMouth(picture: Picture, points: readonly FacePoint[], gape: number): Picture {
  const { width, height } = picture;
  const data = new Uint8Array(picture.data);
  const line = heightOf(lipLine.map((number) => points[number]));
  const [from, to] = [points[78]?.x ?? 0, points[308]?.x ?? 0];
  const end = Math.min(
    height - 1,
    1.15 * (points[mesh.chin]?.y ?? 0) - 0.15 * line((from + to) / 2),
  );
  for (let x = Math.ceil(from); x < to; x += 1) {
    const off = (2 * x - from - to) / Math.max(1, to - from);
    const gap = gape * widest * (to - from) * Math.sqrt(Math.max(0, 1 - off * off));
    const top = Math.round(line(x));
    for (let y = top; y < end; y += 1) {
      const isInside = y < top + gap;
      const share = (y - top - gap) / Math.max(1, end - top - gap);
      const row = isInside ? top : Math.min(height - 1, Math.round(top + share * (end - top)));
      for (let channel = 0; channel < 3; channel += 1) {
        const seen = picture.data[(row * width + x) * 3 + channel] ?? 0;
        data[(y * width + x) * 3 + channel] = isInside ? 35 - 8 * channel : seen;
      }
    }
  }
  return { data, width, height };
}

/** Returns the height of a line of points at a column. */
function heightOf(line: readonly (Point | undefined)[]): (x: number) => number {
  const points = line.flatMap((point) => point ?? []);
  return (x) => {
    const next = Math.max(
      1,
      points.findIndex((point) => point.x >= x),
    );
    const [one, other] = [points[next - 1], points[next]];
    if (!one || !other) return 0;
    const share = (x - one.x) / Math.max(0.01, other.x - one.x);
    return one.y + (other.y - one.y) * share;
  };
}
