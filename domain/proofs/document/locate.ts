import { integralOf, type Grey, type Point } from '../../images/grey.ts';

/** One line of text, as a band along an axis: its start and end, and both edges. */
export interface TextLine {
  readonly start: Point;
  readonly end: Point;
  /** Distance of the upper and lower edge from the axis, at its start and at its end. */
  readonly above: readonly [number, number];
  readonly below: readonly [number, number];
  readonly length: number;
  readonly thickness: number;
}

/** Lines of an MRZ, from the top. */
export type Zone = readonly TextLine[];

/** Largest gap between letters of a line, as a share of the image's width: small to large. */
const gapShares = [0.012, 0.02, 0.032];
const zonesMax = 4;
const linesMax = 400;

/**
 * Finds possible MRZs, likeliest first: two or three long, parallel, close lines of equal length
 * (ICAO 9303-3, layout of the MRZ). In the image they must run from left to right, tilted by at
 * most 20 degrees.
 */
export function locateZones(image: Grey): Zone[] {
  const ink = inkOf(image);
  const zones = gapShares.flatMap((share) => {
    const joined = joinAlong(ink, image.width, image.height, Math.round(image.width * share));
    return zonesAmong(linesOf(joined, image.width, image.height));
  });
  return zones.sort((one, other) => weightOf(other) - weightOf(one)).slice(0, zonesMax);
}

/** Returns 1 for each pixel that is well below its neighborhood: dark on bright in any light. */
function inkOf(image: Grey): Uint8Array {
  const { data, width, height } = image;
  const sums = integralOf(image);
  const reach = Math.max(4, Math.round(width / 60));
  const ink = new Uint8Array(data.length);
  for (let y = 0; y < height; y += 1) {
    const [top, bottom] = [Math.max(0, y - reach), Math.min(height, y + reach + 1)];
    for (let x = 0; x < width; x += 1) {
      const [left, right] = [Math.max(0, x - reach), Math.min(width, x + reach + 1)];
      const row = width + 1;
      const sum =
        (sums[bottom * row + right] ?? 0) -
        (sums[top * row + right] ?? 0) -
        (sums[bottom * row + left] ?? 0) +
        (sums[top * row + left] ?? 0);
      const mean = sum / ((bottom - top) * (right - left));
      if ((data[y * width + x] ?? 0) < mean * 0.88 - 4) ink[y * width + x] = 1;
    }
  }
  return ink;
}

/** Fills gaps of at most `gapMax` pixels within a row. */
function joinAlong(ink: Uint8Array, width: number, height: number, gapMax: number): Uint8Array {
  const joined = new Uint8Array(ink);
  for (let y = 0; y < height; y += 1) {
    let last = -1;
    for (let x = 0; x < width; x += 1) {
      if (!ink[y * width + x]) continue;
      if (last >= 0 && x - last > 1 && x - last <= gapMax) {
        joined.fill(1, y * width + last + 1, y * width + x);
      }
      last = x;
    }
  }
  return joined;
}

/** Returns connected pixels that form a long thin band. Clears the mask. */
function linesOf(mask: Uint8Array, width: number, height: number): TextLine[] {
  const lines: TextLine[] = [];
  const stack: number[] = [];
  const lengthMin = width * 0.25;
  for (let start = 0; start < mask.length && lines.length < linesMax; start += 1) {
    if (mask[start] !== 1) continue;
    const xs: number[] = [];
    const ys: number[] = [];
    stack.push(start);
    mask[start] = 2;
    while (stack.length > 0) {
      const at = stack.pop() ?? 0;
      const [x, y] = [at % width, Math.trunc(at / width)];
      xs.push(x);
      ys.push(y);
      for (let dy = -1; dy <= 1; dy += 1) {
        for (let dx = -1; dx <= 1; dx += 1) {
          const [nextX, nextY] = [x + dx, y + dy];
          if (nextX < 0 || nextY < 0 || nextX >= width || nextY >= height) continue;
          const next = nextY * width + nextX;
          if (mask[next] !== 1) continue;
          mask[next] = 2;
          stack.push(next);
        }
      }
    }
    const line = xs.length > lengthMin * 2 ? bandOf(xs, ys) : null;
    if (line && line.length >= lengthMin && line.length > line.thickness * 9) lines.push(line);
  }
  return lines;
}

/** The band around pixels: their axis by least squares, then both edges as straight lines. */
function bandOf(xs: readonly number[], ys: readonly number[]): TextLine | null {
  const count = xs.length;
  let [meanX, meanY, left, right] = [0, 0, Infinity, -Infinity];
  for (let index = 0; index < count; index += 1) {
    const x = xs[index] ?? 0;
    meanX += x / count;
    meanY += (ys[index] ?? 0) / count;
    left = Math.min(left, x);
    right = Math.max(right, x);
  }
  let [spread, slope] = [0, 0];
  for (let index = 0; index < count; index += 1) {
    const dx = (xs[index] ?? 0) - meanX;
    spread += dx * dx;
    slope += dx * ((ys[index] ?? 0) - meanY);
  }
  slope /= spread || 1;
  if (Math.abs(slope) > 0.4) return null;
  const bins = 24;
  const upper = Array.from({ length: bins }, () => Infinity);
  const lower = Array.from({ length: bins }, () => -Infinity);
  for (let index = 0; index < count; index += 1) {
    const x = xs[index] ?? 0;
    const bin = Math.min(bins - 1, Math.trunc(((x - left) / (right - left + 1)) * bins));
    const off = (ys[index] ?? 0) - (meanY + slope * (x - meanX));
    upper[bin] = Math.min(upper[bin] ?? 0, off);
    lower[bin] = Math.max(lower[bin] ?? 0, off);
  }
  const above = edgeOf(upper);
  const below = edgeOf(lower);
  const yAt = (x: number): number => meanY + slope * (x - meanX);
  return {
    start: { x: left, y: yAt(left) },
    end: { x: right, y: yAt(right) },
    above,
    below,
    length: (right - left) * Math.hypot(1, slope),
    thickness: (below[0] + below[1] - above[0] - above[1]) / 2,
  };
}

/** Fits a straight line through the median of the slopes, so that single outliers do not count. */
function edgeOf(offs: readonly number[]): [number, number] {
  const known = offs.flatMap((off, bin) => (Number.isFinite(off) ? [{ off, bin }] : []));
  const slopes = known.flatMap((one) =>
    known
      .filter(({ bin }) => bin > one.bin + 5)
      .map((other) => (other.off - one.off) / (other.bin - one.bin)),
  );
  const slope = medianOf(slopes);
  const base = medianOf(known.map(({ off, bin }) => off - slope * bin));
  return [base - slope * 0.5, base + slope * (offs.length - 0.5)];
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.trunc(sorted.length / 2)] ?? 0;
}

/** Groups of three, then of two adjacent lines that look like one zone. */
function zonesAmong(lines: readonly TextLine[]): Zone[] {
  const sorted = lines.toSorted((one, other) => middleOf(one).y - middleOf(other).y);
  const zones: Zone[] = [];
  for (const [index, first] of sorted.entries()) {
    const second = sorted.slice(index + 1).find((line) => areNeighbours(first, line));
    if (!second) continue;
    const from = sorted.indexOf(second) + 1;
    const third = sorted.slice(from).find((line) => areNeighbours(second, line));
    zones.push(third ? [first, second, third] : [first, second]);
  }
  return zones;
}

function areNeighbours(one: TextLine, other: TextLine): boolean {
  const thickness = Math.max(one.thickness, other.thickness);
  const apart = middleOf(other).y - middleOf(one).y;
  const isClose = apart > thickness * 0.8 && apart < thickness * 4.5;
  const isLikeLong =
    Math.abs(one.length - other.length) < 0.15 * Math.max(one.length, other.length);
  const isBelow = Math.abs(one.start.x - other.start.x) < 0.12 * one.length;
  return isClose && isLikeLong && isBelow;
}

const middleOf = ({ start, end }: TextLine): Point => ({
  x: (start.x + end.x) / 2,
  y: (start.y + end.y) / 2,
});

/** Longer and thinner lines weigh more, and so do zones of three lines. */
const weightOf = (zone: Zone): number => {
  const [first] = zone;
  if (!first) return 0;
  const slenderness = Math.min(first.length / Math.max(1, first.thickness), 50);
  return first.length * (1 + slenderness / 50) * (zone.length === 3 ? 1.1 : 1);
};
