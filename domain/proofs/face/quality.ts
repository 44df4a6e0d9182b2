import type { Picture, Point } from '../../images/grey.ts';
import { cutOut, type Cut } from '../../images/picture.ts';

/** Size at which focus is measured; larger faces are scaled down to it. */
const side = 160;
/** The middle of a face's square, without hair and background. */
const innerShare = 0.6;

/**
 * Returns the brightness of a face, and the steepness of its steepest edges relative to contrast.
 */
export function qualityOfFace(
  picture: Picture,
  cut: Cut,
): { readonly brightness: number; readonly sharpness: number } {
  const inner = cutOut(picture, { ...cut, sidePx: cut.sidePx * innerShare }, side);
  const light = new Uint8Array(side * side);
  for (let pixel = 0; pixel < light.length; pixel += 1) {
    const at = pixel * 3;
    light[pixel] =
      0.299 * (inner[at] ?? 0) + 0.587 * (inner[at + 1] ?? 0) + 0.114 * (inner[at + 2] ?? 0);
  }
  const rank = (share: number): number => ranked(light, share);
  const contrast = Math.max(20, rank(0.95) - rank(0.05));
  return {
    brightness: rank(0.5),
    sharpness: Math.round((100 * steepestOf(light)) / contrast),
  };
}

/** Returns the difference between neighbors that one pixel in fifty exceeds. */
function steepestOf(light: Uint8Array): number {
  const steps = new Uint8Array(light.length);
  for (let at = side; at < light.length - side; at += 1) {
    const across = Math.abs((light[at + 1] ?? 0) - (light[at - 1] ?? 0));
    const down = Math.abs((light[at + side] ?? 0) - (light[at - side] ?? 0));
    steps[at] = Math.max(across, down);
  }
  return ranked(steps, 0.98);
}

/** Returns the value that this share of all values stays below. */
function ranked(values: Uint8Array, share: number): number {
  const counts = new Uint32Array(256);
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  let seen = 0;
  return counts.findIndex((count) => {
    seen += count;
    return seen > share * (values.length - 1);
  });
}

/** Whether part of a face is outside its image, with a tolerance of 1 %. */
export function isCutOff({ width, height }: Picture, points: readonly Point[]): boolean {
  const spare = 0.01 * Math.max(width, height);
  return points.some(
    ({ x, y }) => x < -spare || y < -spare || x > width + spare || y > height + spare,
  );
}
