import type { Picture, Point } from '../document/grey.ts';
import { cutOut, type Cut } from './picture.ts';

/** A face of this size shows whether it is in focus; larger ones are looked at as large. */
const side = 160;
/** The middle of a face's square: no hair, no background. */
const innerShare = 0.6;

/** How bright a face is, and how steep its steepest edges are for the contrast it has. */
export function qualityOfFace(
  picture: Picture,
  cut: Cut,
): { readonly brightness: number; readonly sharpness: number } {
  const inner = cutOut(picture, { ...cut, sidePx: cut.sidePx * innerShare }, side);
  const light = new Uint8Array(side * side);
  for (let pixel = 0; pixel < light.length; pixel += 1) {
    const [red = 0, green = 0, blue = 0] = inner.subarray(pixel * 3, pixel * 3 + 3);
    light[pixel] = 0.299 * red + 0.587 * green + 0.114 * blue;
  }
  const ranked = light.toSorted();
  const rank = (share: number): number => ranked[Math.trunc(share * (ranked.length - 1))] ?? 0;
  const contrast = Math.max(20, rank(0.95) - rank(0.05));
  return {
    brightness: rank(0.5),
    sharpness: Math.round((100 * steepestOf(light)) / contrast),
  };
}

/** The difference of neighbours that one pixel in fifty exceeds. */
function steepestOf(light: Uint8Array): number {
  const steps: number[] = [];
  for (let at = side; at < light.length - side; at += 1) {
    const across = Math.abs((light[at + 1] ?? 0) - (light[at - 1] ?? 0));
    const down = Math.abs((light[at + side] ?? 0) - (light[at - side] ?? 0));
    steps.push(Math.max(across, down));
  }
  const ranked = steps.toSorted((one, other) => other - one);
  return ranked[Math.trunc(ranked.length / 50)] ?? 0;
}

/** Whether part of a face lies outside of its image, save a hair's breadth. */
export function isCutOff({ width, height }: Picture, points: readonly Point[]): boolean {
  const spare = 0.01 * Math.max(width, height);
  return points.some(
    ({ x, y }) => x < -spare || y < -spare || x > width + spare || y > height + spare,
  );
}
