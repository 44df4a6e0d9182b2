import type { Picture, Point } from '../../domain/images/grey.ts';

/** A corner: where it is drawn, its depth, and its position in the source. */
export interface Corner extends Point {
  readonly z: number;
  readonly from: Point;
}

/** Draws a triangle of a source onto a picture, except behind nearer pixels. */
export function drawTriangle(
  { data, width, height }: Picture,
  depths: Float32Array,
  source: Picture,
  [a, b, c]: readonly [Corner, Corner, Corner],
): void {
  const area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
  // Triangles facing away are invisible.
  if (area <= 0.001) return;
  const top = Math.max(0, Math.floor(Math.min(a.y, b.y, c.y)));
  const bottom = Math.min(height - 1, Math.ceil(Math.max(a.y, b.y, c.y)));
  const left = Math.max(0, Math.floor(Math.min(a.x, b.x, c.x)));
  const right = Math.min(width - 1, Math.ceil(Math.max(a.x, b.x, c.x)));
  for (let y = top; y <= bottom; y += 1) {
    for (let x = left; x <= right; x += 1) {
      const ofB = ((x - a.x) * (c.y - a.y) - (c.x - a.x) * (y - a.y)) / area;
      const ofC = ((b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y)) / area;
      const ofA = 1 - ofB - ofC;
      if (ofA < -0.001 || ofB < -0.001 || ofC < -0.001) continue;
      const z = ofA * a.z + ofB * b.z + ofC * c.z;
      const at = y * width + x;
      if (z >= (depths[at] ?? 0)) continue;
      depths[at] = z;
      const fromX = ofA * a.from.x + ofB * b.from.x + ofC * c.from.x;
      const fromY = ofA * a.from.y + ofB * b.from.y + ofC * c.from.y;
      copyPixel(data, at * 3, source, fromX, fromY);
    }
  }
}

function copyPixel(data: Uint8Array, at: number, source: Picture, x: number, y: number): void {
  const column = Math.min(Math.max(0, Math.trunc(x)), source.width - 2);
  const row = Math.min(Math.max(0, Math.trunc(y)), source.height - 2);
  const [dx, dy] = [x - column, y - row];
  const upper = (row * source.width + column) * 3;
  const lower = upper + source.width * 3;
  for (let channel = 0; channel < 3; channel += 1) {
    const value = (place: number): number => source.data[place + channel] ?? 0;
    const above = value(upper) * (1 - dx) + value(upper + 3) * dx;
    const below = value(lower) * (1 - dx) + value(lower + 3) * dx;
    data[at + channel] = above * (1 - dy) + below * dy;
  }
}
