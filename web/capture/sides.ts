import type { Grey } from './grey.ts';
import type { Rectangle } from './guide.ts';

/** The document's edges near the guide frame. */
export interface Sides {
  /** How many of the four edges were found. */
  readonly found: number;
  /**
   * Size of the document as part of the guide: 1 fills it. 0 if no two opposite edges were found.
   */
  readonly fill: number;
  /** Median slope of the edges in degrees, clockwise. */
  readonly tilt: number;
}

/** One side of the guide, scanned inward along lines that cross it at a right angle. */
interface Scan {
  /** Position of the middle of the side, and the unit steps along it and into the guide. */
  readonly x: number;
  readonly y: number;
  readonly along: readonly [number, number];
  readonly inward: readonly [number, number];
  readonly length: number;
  /** Pixels from the side that are searched, outward and inward. */
  readonly reach: number;
}

interface Line {
  /** Pixels inward from the middle of the guide's side. */
  readonly offset: number;
  readonly slope: number;
}

const scanLines = 32;
/** The part of a side that is scanned. Corners of documents are round or cut off by the frame. */
const scannedShare = 0.84;
/** Maximum distance of an edge from its expected place, as part of the guide's extent. */
const offsetShare = 0.2;
const degreesMax = 24;
const slopeMax = Math.tan((degreesMax * Math.PI) / 180);
/** Every two degrees: an edge between two slopes is close enough to both to be found. */
const slopesTried = Array.from({ length: degreesMax + 1 }, (_, index) =>
  Math.tan(((2 * index - degreesMax) * Math.PI) / 180),
);
/** Minimum brightness step of an edge: in levels, and as part of the document's brightness. */
const stepLevelsMin = 6;
const stepShareMin = 0.1;
/** Pixels compared on both sides of an edge, so that a thin line does not count as an edge. */
const stepWidth = 3;
/**
 * Minimum share of the samples of a line that step the same way. Text and textures do so only over
 * short parts.
 */
const supportMin = 0.6;
/** If two edges have nearly the same support, the outer one is the document's. */
const nearlyMost = 0.85;

/**
 * Finds the document's edges: long straight steps of brightness along the sides of the guide.
 * `brightness` is that of the document, 0 to 255.
 */
export function sidesOf(image: Grey, guide: Rectangle, brightness: number): Sides {
  const stepMin = Math.max(stepLevelsMin, brightness * stepShareMin);
  const [top, right, bottom, left] = scansOf(guide).map((scan) => edgeAt(image, scan, stepMin));
  const lines = [top, right, bottom, left].filter((line) => line !== null && line !== undefined);
  const slopes = lines.map(({ slope }) => slope).sort((one, other) => one - other);
  const low = slopes[Math.floor((slopes.length - 1) / 2)] ?? 0;
  const high = slopes[Math.floor(slopes.length / 2)] ?? 0;
  const cos = Math.cos(Math.atan((low + high) / 2));
  const down =
    top && bottom ? ((guide.height - top.offset - bottom.offset) * cos) / guide.height : 0;
  const across =
    left && right ? ((guide.width - left.offset - right.offset) * cos) / guide.width : 0;
  return {
    found: lines.length,
    fill: down && across ? Math.min(down, across) : down || across,
    tilt: (Math.atan((low + high) / 2) * 180) / Math.PI,
  };
}

function scansOf({ x, y, width, height }: Rectangle): Scan[] {
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  const across = { length: width * scannedShare, reach: height * offsetShare };
  const down = { length: height * scannedShare, reach: width * offsetShare };
  return [
    { x: middleX, y, along: [1, 0], inward: [0, 1], ...across },
    { x: x + width, y: middleY, along: [0, 1], inward: [-1, 0], ...down },
    { x: middleX, y: y + height, along: [-1, 0], inward: [0, -1], ...across },
    { x, y: middleY, along: [0, -1], inward: [1, 0], ...down },
  ];
}

/** Returns the outermost long edge along a side; null if there is none. */
function edgeAt(image: Grey, scan: Scan, stepMin: number): Line | null {
  const depth = Math.ceil(scan.reach + (slopeMax * scan.length) / 2) + 1;
  const steps = stepsAlong(image, scan, depth);
  const votes = votesOf(steps, stepMin);
  const reach = Math.floor(scan.reach);
  const supports = new Float32Array(2 * reach + 1);
  const slopes = new Float32Array(2 * reach + 1);
  const path = new Int32Array(scanLines);
  for (const slope of slopesTried) {
    for (let line = 0; line < scanLines; line += 1) {
      const across = Math.round(slope * placeOf(line) * scan.length);
      path[line] = line * (2 * depth + 1) + depth - reach + across;
    }
    for (let at = 0; at < supports.length; at += 1) {
      const support = supportOf(votes, path, at);
      if (support <= (supports[at] ?? 0)) continue;
      supports[at] = support;
      slopes[at] = slope;
    }
  }
  const enough = Math.max(supportMin, Math.max(...supports) * nearlyMost);
  const at = supports.findIndex(
    (support, index) => support >= enough && support >= (supports[index + 1] ?? 0),
  );
  if (at < 0) return null;
  return fitted(steps, scan, depth, { offset: at - reach, slope: slopes[at] ?? 0 });
}

/**
 * Returns the brightness step at each place: `scanLines` rows of `2 * depth + 1`, the middle one on
 * the guide. NaN outside of the image.
 */
function stepsAlong({ data, width, height }: Grey, scan: Scan, depth: number): Float32Array {
  const columns = 2 * depth + 1;
  const steps = new Float32Array(scanLines * columns).fill(Number.NaN);
  const [alongX, alongY] = scan.along;
  const [inwardX, inwardY] = scan.inward;
  const beside = alongX + alongY * width;
  const sums = new Float32Array(columns + 2 * stepWidth);
  for (let line = 0; line < scanLines; line += 1) {
    const along = placeOf(line) * scan.length;
    const x = Math.round(scan.x + alongX * along - inwardX * (depth + stepWidth));
    const y = Math.round(scan.y + alongY * along - inwardY * (depth + stepWidth));
    for (let index = 0; index < sums.length; index += 1) {
      const [column, row] = [x + inwardX * index, y + inwardY * index];
      const isIn = column >= 1 && row >= 1 && column < width - 1 && row < height - 1;
      const at = row * width + column;
      sums[index] = isIn
        ? (data[at - beside] ?? 0) + (data[at] ?? 0) + (data[at + beside] ?? 0)
        : Number.NaN;
    }
    for (let index = 0; index < columns; index += 1) {
      let step = 0;
      for (let off = 1; off <= stepWidth; off += 1) {
        step += (sums[index + stepWidth + off] ?? 0) - (sums[index + stepWidth - off] ?? 0);
      }
      steps[line * columns + index] = step / (3 * stepWidth);
    }
  }
  return steps;
}

/** Returns where a scan line crosses the side, from -0.5 to 0.5. */
const placeOf = (line: number): number => (line + 0.5) / scanLines - 0.5;

/** Marks a place outside of the image, which has no vote. */
const missing = -128;

/** Converts each step to a vote from -100 to 100. A step of `stepMin` or more counts fully. */
function votesOf(steps: Float32Array, stepMin: number): Int8Array {
  const votes = new Int8Array(steps.length);
  for (let at = 0; at < steps.length; at += 1) {
    const step = steps[at] ?? Number.NaN;
    const vote = Math.max(-100, Math.min(100, (step / stepMin) * 100));
    votes[at] = Number.isNaN(step) ? missing : vote;
  }
  return votes;
}

/** Returns the share of the samples of a line that step the same way, from 0 to 1. */
function supportOf(votes: Int8Array, path: Int32Array, offset: number): number {
  let [sum, count] = [0, 0];
  for (let line = 0; line < scanLines; line += 1) {
    const vote = votes[(path[line] ?? 0) + offset] ?? missing;
    if (vote === missing) continue;
    count += 1;
    sum += vote;
  }
  return count < scanLines / 2 ? 0 : Math.abs(sum) / count / 100;
}

/** Fits a line by least squares through the steepest places near `near`. */
function fitted(steps: Float32Array, scan: Scan, depth: number, near: Line): Line {
  let [count, sumT, sumD, sumTT, sumTD] = [0, 0, 0, 0, 0];
  for (let line = 0; line < scanLines; line += 1) {
    const along = placeOf(line) * scan.length;
    const middle = Math.round(depth + near.offset + near.slope * along);
    let [steepest, at] = [0, -1];
    for (let across = middle - 3; across <= middle + 3; across += 1) {
      const step = Math.abs(steps[line * (2 * depth + 1) + across] ?? 0);
      if (step > steepest) [steepest, at] = [step, across];
    }
    if (at < 0) continue;
    count += 1;
    sumT += along;
    sumD += at - depth;
    sumTT += along * along;
    sumTD += along * (at - depth);
  }
  const spread = count * sumTT - sumT * sumT;
  if (spread <= 0) return near;
  const slope = (count * sumTD - sumT * sumD) / spread;
  return { offset: (sumD - slope * sumT) / count, slope };
}
