import type { Grey } from '../../../domain/images/grey.ts';
import {
  likeness,
  pitchShare,
  shapeHeight,
  shapes,
  shapeWidth,
  windowAt,
  type Shape,
} from './ocr-b.ts';

/** Maximum distance of a letter from its place at an even pitch, in pixels. */
const driftMax = 3;
const riseMax = 2;
const darkMax = 128;

/**
 * Reads a strip by comparing it with the letters of the typeface, place by place. This second
 * reader makes other errors than the first. Returns null when the letters are not at an even pitch.
 * @param strip cut for letters of `shapeHeight`
 * @param count number of letters in the line
 */
export function matchShapes(
  strip: Grey,
  count: number,
  kinds: readonly string[],
): { readonly text: string; readonly like: number } | null {
  const span = inkSpan(strip);
  if (!span) return null;
  const halfLetter = (shapeHeight * pitchShare) / 3;
  const [first, last] = [span.left + halfLetter, span.right - halfLetter];
  let pitch = (last - first) / (count - 1);
  if (Math.abs(pitch / (shapeHeight * pitchShare) - 1) > 0.35) return null;
  const top = Math.round((strip.height - shapeHeight) / 2);
  let [text, like] = ['', 0];
  let centre = first;
  for (let index = 0; index < count; index += 1) {
    const best = bestAt(strip, centre, top, kinds[index] ?? 'X');
    if (!best) return null;
    text += best.shape.character;
    like += best.like / count;
    // The pitch drifts in a page at an angle. The remaining letters share the difference.
    const left = count - 1 - index;
    const at = centre + (best.drift * 2) / 3;
    pitch = left > 0 ? (last - at) / left : pitch;
    centre = at + pitch;
  }
  return { text, like };
}

/** Returns the number of rows that the letters of a strip cover. */
export function letterRows({ data, width, height }: Grey): number {
  const dark = Array.from({ length: height }, (_, row) => {
    let count = 0;
    for (let column = 0; column < width; column += 1) {
      if ((data[row * width + column] ?? 255) < darkMax) count += 1;
    }
    return count;
  });
  const most = Math.max(...dark);
  const isInked = (count: number): boolean => count > most / 8;
  return dark.findLastIndex(isInked) - dark.findIndex(isInked) + 1;
}

/** Returns the first and the last dark column. */
function inkSpan({ data, width, height }: Grey): { left: number; right: number } | null {
  const isDark = (column: number): boolean => {
    for (let row = Math.trunc(height / 4); row < (height * 3) / 4; row += 1) {
      if ((data[row * width + column] ?? 255) < darkMax) return true;
    }
    return false;
  };
  const columns = Array.from({ length: width }, (_, column) => column);
  const left = columns.find(isDark);
  const right = columns.findLast(isDark);
  return left === undefined || right === undefined ? null : { left, right };
}

interface Match {
  readonly shape: Shape;
  readonly drift: number;
  readonly like: number;
}

function bestAt(strip: Grey, centre: number, top: number, kind: string): Match | null {
  const allowed = shapes.filter(({ character }) => mayStand(character, kind));
  let best: (Match & { readonly order: number }) | null = null;
  for (let drift = -driftMax; drift <= driftMax; drift += 1) {
    const left = Math.round(centre - shapeWidth / 2) + drift;
    if (left < 0 || left + shapeWidth > strip.width) continue;
    for (let rise = -riseMax; rise <= riseMax; rise += 1) {
      const window = windowAt(strip, left, top + rise);
      for (const [order, shape] of allowed.entries()) {
        const like = likeness(window, shape);
        const isBetter = !best || like > best.like || (like === best.like && order < best.order);
        if (isBetter) best = { shape, drift, like, order };
      }
    }
  }
  return best;
}

function mayStand(character: string, kind: string): boolean {
  if (kind === 'A') return !/\d/.test(character);
  if (kind === 'N') return /\d/.test(character);
  return kind === 'D' ? /[\d<]/.test(character) : true;
}
