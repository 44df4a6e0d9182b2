import type { Picture, Point } from '../../../domain/images/grey.ts';
import { dot, leastSquares } from '../../../domain/proofs/face/parallax.ts';
import { mesh, middleOf, type FacePoint } from './landmarks.ts';

/** A face in its picture. */
export interface FaceView {
  readonly picture: Picture;
  readonly points: readonly FacePoint[];
}

/** Distance between the eyes in pixels, after scaling. */
const eyesApart = 60;
const half = 9;
const reach = 16;
const certaintyMin = 0.6;
/** Points that the network finds by their appearance, not by the outline of the head. */
const flatPlaces = [...mesh.rightEye, ...mesh.leftEye, 168, 164, 61, 291];
const nose = [4, 5];
const [nasion, philtrum] = [168, 164];

/**
 * Returns how far the tip of the nose moved relative to the line from its root to the lip. The unit
 * is the distance between the eyes; positive is to the right of the picture. It measures the
 * pictures themselves: networks find a head in a bent print too, and place a nose on it. In a
 * print, however, all points of one column move together. Null where the points are not found
 * again.
 */
export function reliefOf(from: FaceView, to: FaceView): number | null {
  const pointsOf = ({ points }: FaceView): Point[] =>
    flatPlaces.map((number) => points[number] ?? { x: 0, y: 0 });
  const columns = pointsOf(from).map(({ x, y }) => [x, y, 1]);
  const seen = pointsOf(to);
  const across = leastSquares(
    columns,
    seen.map(({ x }) => x),
  );
  const down = leastSquares(
    columns,
    seen.map(({ y }) => y),
  );
  const moved = ({ x, y }: Point): Point => ({
    x: dot([x, y, 1], across),
    y: dot([x, y, 1], down),
  });
  const right = middleOf(from.points, mesh.rightEye);
  const left = middleOf(from.points, mesh.leftEye);
  const step = Math.hypot(left.x - right.x, left.y - right.y) / eyesApart;
  const turn = Math.atan2(left.y - right.y, left.x - right.x);
  const shiftAt = (number: number): Shift | null => {
    const centre = from.points[number];
    return centre ? shiftOf({ from, to, centre, step, turn, moved }) : null;
  };
  const [root, lip] = [shiftAt(nasion), shiftAt(philtrum)];
  const tips = nose.map(shiftAt);
  if (!root || !lip || tips.some((tip) => !tip)) return null;
  const place = (number: number): number => from.points[number]?.y ?? 0;
  const beside = tips.map((tip, index) => {
    const share = (place(nose[index] ?? 0) - place(nasion)) / (place(philtrum) - place(nasion));
    return (tip?.x ?? 0) - root.x * (1 - share) - lip.x * share;
  });
  return beside.reduce((sum, each) => sum + each, 0) / beside.length / eyesApart;
}

interface Shift {
  readonly x: number;
}

interface Place {
  readonly from: FaceView;
  readonly to: FaceView;
  readonly centre: Point;
  readonly step: number;
  readonly turn: number;
  readonly moved: (point: Point) => Point;
}

function shiftOf({ from, to, centre, step, turn, moved }: Place): Shift | null {
  const wide = half + reach;
  const [cos, sin] = [Math.cos(turn) * step, Math.sin(turn) * step];
  const at = (x: number, y: number): Point => ({
    x: centre.x + cos * x - sin * y,
    y: centre.y + sin * x + cos * y,
  });
  const pattern = greys(from.picture, half, at);
  const field = greys(to.picture, wide, (x, y) => moved(at(x, y)));
  let best = { x: 0, y: 0, like: -2 };
  const look = (x: number, y: number): void => {
    const like = likenessAt(pattern, field, x, y);
    if (like > best.like) best = { x, y, like };
  };
  for (let y = -reach; y <= reach; y += 2) for (let x = -reach; x <= reach; x += 2) look(x, y);
  const { x: nearX, y: nearY } = best;
  for (let y = -1; y <= 1; y += 1) for (let x = -1; x <= 1; x += 1) look(nearX + x, nearY + y);
  if (best.like < certaintyMin || Math.abs(best.x) >= reach || Math.abs(best.y) >= reach)
    return null;
  const [before, after] = [-1, 1].map((off) => likenessAt(pattern, field, best.x + off, best.y));
  const bow = 2 * best.like - (before ?? 0) - (after ?? 0);
  return { x: best.x + (bow > 0 ? ((after ?? 0) - (before ?? 0)) / (2 * bow) : 0) };
}

const sizeOf = (reached: number): number => 2 * reached + 1;

function greys(
  { data, width, height }: Picture,
  reached: number,
  at: (x: number, y: number) => Point,
): Float32Array {
  const out = new Float32Array(sizeOf(reached) ** 2);
  let next = 0;
  for (let y = -reached; y <= reached; y += 1) {
    for (let x = -reached; x <= reached; x += 1) {
      const point = at(x, y);
      const left = Math.min(Math.max(point.x, 0), width - 1.001);
      const top = Math.min(Math.max(point.y, 0), height - 1.001);
      const [column, row] = [Math.trunc(left), Math.trunc(top)];
      const grey = (dx: number, dy: number): number => {
        const p = (Math.min(row + dy, height - 1) * width + Math.min(column + dx, width - 1)) * 3;
        return ((data[p] ?? 0) + 2 * (data[p + 1] ?? 0) + (data[p + 2] ?? 0)) / 4;
      };
      const [fx, fy] = [left - column, top - row];
      const above = grey(0, 0) * (1 - fx) + grey(1, 0) * fx;
      const below = grey(0, 1) * (1 - fx) + grey(1, 1) * fx;
      out[next++] = above * (1 - fy) + below * fy;
    }
  }
  return out;
}

function likenessAt(pattern: Float32Array, field: Float32Array, dx: number, dy: number): number {
  const [size, wide] = [sizeOf(half), sizeOf(half + reach)];
  let sum = 0;
  let squares = 0;
  let product = 0;
  let own = 0;
  let ownSquares = 0;
  for (let y = 0; y < size; y += 1) {
    const line = (y + dy + reach) * wide + dx + reach;
    for (let x = 0; x < size; x += 1) {
      const one = pattern[y * size + x] ?? 0;
      const other = field[line + x] ?? 0;
      sum += other;
      squares += other * other;
      product += one * other;
      own += one;
      ownSquares += one * one;
    }
  }
  const count = size * size;
  const spread = (ownSquares - (own * own) / count) * (squares - (sum * sum) / count);
  return spread > 0 ? (product - (own * sum) / count) / Math.sqrt(spread) : 0;
}
