import type { Picture, Point } from '../document/grey.ts';

/** A square cut out of an image: around a point, so wide, and turned by so many radians. */
export interface Cut {
  readonly centre: Point;
  readonly sidePx: number;
  readonly turn: number;
  readonly isFlipped?: boolean;
}

/** Pixels averaged for one, along each side: finer detail would only flicker. */
const finenessMax = 2;

/** What a cut shows, as so many pixels a side: numbers from 0 to 255, black outside the image. */
export function cutOut(picture: Picture, cut: Cut, side: number): Float32Array<ArrayBuffer> {
  const out = new Float32Array(side * side * 3);
  const fineness = Math.min(finenessMax, Math.max(1, Math.round(cut.sidePx / side)));
  const steps = side * fineness;
  // One step to the right and one down, in the image: no point is made for each of a million.
  const toPicture = fromCut(cut, steps);
  const [start, right, down] = [toPicture(0.5, 0.5), toPicture(1.5, 0.5), toPicture(0.5, 1.5)];
  const [acrossX, acrossY] = [right.x - start.x, right.y - start.y];
  const [downX, downY] = [down.x - start.x, down.y - start.y];
  for (let row = 0; row < steps; row += 1) {
    const line = Math.trunc(row / fineness) * side;
    for (let column = 0; column < steps; column += 1) {
      const at = (line + Math.trunc(column / fineness)) * 3;
      const x = start.x + column * acrossX + row * downX;
      const y = start.y + column * acrossY + row * downY;
      addPixel(out, at, picture, x - 0.5, y - 0.5);
    }
  }
  if (fineness === 1) return out;
  return out.map((value) => value / (fineness * fineness));
}

/** From a place in a cut of so many pixels a side to the place in the image. */
export function fromCut(cut: Cut, side: number): (x: number, y: number) => Point {
  const { centre, sidePx, turn, isFlipped = false } = cut;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  return (x, y) => {
    const right = ((isFlipped ? side - x : x) / side - 0.5) * sidePx;
    const down = (y / side - 0.5) * sidePx;
    return { x: centre.x + cos * right - sin * down, y: centre.y + sin * right + cos * down };
  };
}

/** Adds the value between pixels, by the four around it. */
function addPixel(out: Float32Array, at: number, picture: Picture, x: number, y: number): void {
  const { data, width, height } = picture;
  if (x < -1 || y < -1 || x >= width || y >= height) return;
  const left = Math.min(Math.max(x, 0), width - 1.001);
  const top = Math.min(Math.max(y, 0), height - 1.001);
  const column = Math.trunc(left);
  const row = Math.trunc(top);
  const dx = left - column;
  const dy = top - row;
  const upper = (row * width + column) * 3;
  const lower = upper + width * 3;
  for (let channel = 0; channel < 3; channel += 1) {
    const first = data[upper + channel] ?? 0;
    const above = first + ((data[upper + 3 + channel] ?? 0) - first) * dx;
    const second = data[lower + channel] ?? 0;
    const below = second + ((data[lower + 3 + channel] ?? 0) - second) * dx;
    out[at + channel] = (out[at + channel] ?? 0) + above + (below - above) * dy;
  }
}
