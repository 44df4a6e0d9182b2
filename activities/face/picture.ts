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
  const toPicture = fromCut(cut, side);
  const fineness = Math.min(finenessMax, Math.max(1, Math.round(cut.sidePx / side)));
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) {
      const at = (row * side + column) * 3;
      for (let part = 0; part < fineness * fineness; part += 1) {
        const down = row + (Math.trunc(part / fineness) + 0.5) / fineness;
        const { x, y } = toPicture(column + ((part % fineness) + 0.5) / fineness, down);
        addPixel(out, at, picture, x - 0.5, y - 0.5);
      }
      for (let channel = at; channel < at + 3; channel += 1) {
        out[channel] = (out[channel] ?? 0) / (fineness * fineness);
      }
    }
  }
  return out;
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
  const [column, row] = [Math.trunc(left), Math.trunc(top)];
  const [dx, dy] = [left - column, top - row];
  const upper = (row * width + column) * 3;
  const lower = upper + width * 3;
  for (let channel = 0; channel < 3; channel += 1) {
    const above = (data[upper + channel] ?? 0) * (1 - dx) + (data[upper + 3 + channel] ?? 0) * dx;
    const below = (data[lower + channel] ?? 0) * (1 - dx) + (data[lower + 3 + channel] ?? 0) * dx;
    out[at + channel] = (out[at + channel] ?? 0) + above * (1 - dy) + below * dy;
  }
}
