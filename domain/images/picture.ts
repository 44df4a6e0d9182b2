import type { Picture, Point } from './grey.ts';

/** A square part of an image: its center, its width, and its rotation in radians. */
export interface Cut {
  readonly centre: Point;
  readonly sidePx: number;
  readonly turn: number;
  readonly isFlipped?: boolean;
}

/** Pixels averaged into one, along each side: finer detail would only add noise. */
const finenessMax = 2;

/**
 * Renders a cut with `side` pixels per side: values from 0 to 255, black outside the image,
 * interpolated between the four surrounding pixels. Inlined and without objects in the loop, since
 * a face takes half a million pixels.
 */
export function cutOut(picture: Picture, cut: Cut, side: number): Float32Array<ArrayBuffer> {
  const { data, width, height } = picture;
  const out = new Float32Array(side * side * 3);
  const fineness = Math.min(finenessMax, Math.max(1, Math.round(cut.sidePx / side)));
  const steps = side * fineness;
  const { start, across, down } = stepsOf(cut, steps);
  const lastX = width - 1.001;
  const lastY = height - 1.001;
  for (let row = 0; row < steps; row += 1) {
    const line = Math.trunc(row / fineness) * side;
    const rowX = row * down.x;
    const rowY = row * down.y;
    for (let column = 0; column < steps; column += 1) {
      const x = start.x + column * across.x + rowX - 0.5;
      const y = start.y + column * across.y + rowY - 0.5;
      if (x < -1 || y < -1 || x >= width || y >= height) continue;
      const left = Math.min(Math.max(x, 0), lastX);
      const top = Math.min(Math.max(y, 0), lastY);
      const fullX = left | 0;
      const fullY = top | 0;
      const dx = left - fullX;
      const dy = top - fullY;
      const upper = (fullY * width + fullX) * 3;
      const lower = upper + width * 3;
      const at = (line + Math.trunc(column / fineness)) * 3;
      for (let channel = 0; channel < 3; channel += 1) {
        const first = data[upper + channel] ?? 0;
        const above = first + ((data[upper + 3 + channel] ?? 0) - first) * dx;
        const second = data[lower + channel] ?? 0;
        const below = second + ((data[lower + 3 + channel] ?? 0) - second) * dx;
        out[at + channel] = (out[at + channel] ?? 0) + above + (below - above) * dy;
      }
    }
  }
  return fineness === 1 ? out : shifted(out, fineness * fineness, 0);
}

/**
 * Returns where a cut with `steps` steps per side begins in the image, and one step right and down.
 */
function stepsOf(cut: Cut, steps: number): { start: Point; across: Point; down: Point } {
  const toPicture = fromCut(cut, steps);
  const start = toPicture(0.5, 0.5);
  const right = toPicture(1.5, 0.5);
  const below = toPicture(0.5, 1.5);
  return {
    start,
    across: { x: right.x - start.x, y: right.y - start.y },
    down: { x: below.x - start.x, y: below.y - start.y },
  };
}

/** Divides each number and adds to it, in place. */
export function shifted(
  values: Float32Array<ArrayBuffer>,
  divisor: number,
  addend: number,
): Float32Array<ArrayBuffer> {
  for (let index = 0; index < values.length; index += 1) {
    values[index] = (values[index] ?? 0) / divisor + addend;
  }
  return values;
}

/** Maps a position in a cut with `side` pixels per side to the position in the image. */
export function fromCut(cut: Cut, side: number): (x: number, y: number) => Point {
  const { centre, sidePx, turn, isFlipped = false } = cut;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  return (x, y) => {
    const right = ((isFlipped ? side - x : x) / side - 0.5) * sidePx;
    const down = (y / side - 0.5) * sidePx;
    return { x: centre.x + cos * right - sin * down, y: centre.y + sin * right + cos * down };
  };
}
