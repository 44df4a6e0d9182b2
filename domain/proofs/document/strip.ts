import { valueAt, type Grey } from '../../images/grey.ts';
import type { TextLine } from './locate.ts';

/** Space above and below the letters, as a share of their height. */
const margin = 0.45;

/**
 * Cuts one line out of the image, straightens it, scales its letters to `letterHeight` pixels and
 * stretches the contrast. Undoes skew and perspective for each line separately.
 * @param scale pixels of `image` per pixel of the image in which the line was found
 */
export function stripOf(image: Grey, line: TextLine, scale: number, letterHeight: number): Grey {
  const thickness = Math.max(3, line.thickness + 1);
  const zoom = letterHeight / thickness;
  const reach = thickness * 1.5;
  const width = Math.min(4000, Math.round((line.length + 2 * reach) * zoom));
  const height = Math.round(letterHeight * (1 + 2 * margin));
  const data = new Uint8Array(width * height);
  const span = line.end.x - line.start.x;
  for (let column = 0; column < width; column += 1) {
    const along = (column / width) * (line.length + 2 * reach) - reach;
    const share = along / line.length;
    const x = line.start.x + span * share;
    const middle = line.start.y + (line.end.y - line.start.y) * share;
    const above = line.above[0] + (line.above[1] - line.above[0]) * share - 0.5;
    const below = line.below[0] + (line.below[1] - line.below[0]) * share + 0.5;
    const tall = below - above;
    for (let row = 0; row < height; row += 1) {
      const y = middle + above + tall * (row / letterHeight - margin);
      const [atX, atY] = [(x + 0.5) * scale - 0.5, (y + 0.5) * scale - 0.5];
      data[row * width + column] = valueAt(image, atX, atY);
    }
  }
  return { data: stretched(data), width, height };
}

/** The same strip upside down. */
export const flipped = ({ data, width, height }: Grey): Grey => ({
  data: data.toReversed(),
  width,
  height,
});

/** Stretches the contrast: the darkest 2 % become black, the brightest 30 % white. */
function stretched(data: Uint8Array): Uint8Array {
  const counts = new Uint32Array(256);
  for (const value of data) counts[value] = (counts[value] ?? 0) + 1;
  const dark = levelAt(counts, data.length * 0.02);
  const bright = levelAt(counts, data.length * 0.7);
  const range = Math.max(12, bright - dark);
  return data.map((value) => Math.min(255, Math.max(0, ((value - dark) * 255) / range)));
}

function levelAt(counts: Uint32Array, rank: number): number {
  let seen = 0;
  for (let level = 0; level < 256; level += 1) {
    seen += counts[level] ?? 0;
    if (seen >= rank) return level;
  }
  return 255;
}
