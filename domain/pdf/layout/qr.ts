import { encode } from 'uqr';

/**
 * Draws a QR code as one path, filled black: no image, and no gaps between its squares.
 * @param box left, bottom and side, in points
 */
export function qrPath(text: string, box: { x: number; y: number; side: number }): string[] {
  const { data, size } = encode(text, { border: 0, ecc: 'M' });
  const cell = box.side / size;
  const squares = data.flatMap((row, index) => {
    const y = box.y + box.side - (index + 1) * cell;
    return stretches(row).map(
      ([from, to]) =>
        `${point(box.x + from * cell)} ${point(y)} ${point((to - from) * cell)} ${point(cell)} re`,
    );
  });
  return ['0 0 0 rg', ...squares, 'f'];
}

const point = (value: number): string => value.toFixed(3);

/** Returns the dark stretches of a row as `[from, to)`. */
function stretches(row: readonly boolean[]): [number, number][] {
  const found: [number, number][] = [];
  for (const [index, dark] of row.entries()) {
    const last = found.at(-1);
    if (dark && last?.[1] === index) last[1] = index + 1;
    else if (dark) found.push([index, index + 1]);
  }
  return found;
}
