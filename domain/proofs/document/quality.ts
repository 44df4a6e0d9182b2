import { rankOf } from '../../images/rank.ts';
import { shrunk, type Grey } from '../../images/grey.ts';
import type { ProofReason } from '../reasons.ts';

/** Measurements of a photograph that explain why it could not be read. */
export interface Quality {
  /** Brightness that 90 % of the pixels stay below, 0 to 255. */
  readonly brightness: number;
  /** The largest square of overexposed pixels, as a share of the image's shorter side. */
  readonly glare: number;
  /** Steepness of the steepest edges: brightness per pixel, at a width of a thousand pixels. */
  readonly sharpness: number;
  /** Share of pixels that are edges; low if there is nothing like print. */
  readonly detail: number;
}

const sideMax = 1000;
const burntOut = 253;
const edgeMin = 24;

export function qualityOf(image: Grey): Quality {
  const { image: small } = shrunk(image, sideMax);
  const { data, width, height } = small;
  const counts = new Uint32Array(256);
  for (const value of data) counts[value] = (counts[value] ?? 0) + 1;
  const edges = new Uint32Array(256);
  let steep = 0;
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const at = y * width + x;
      const across = Math.abs((data[at + 1] ?? 0) - (data[at - 1] ?? 0));
      const down = Math.abs((data[at + width] ?? 0) - (data[at - width] ?? 0));
      const edge = Math.max(across, down);
      edges[edge] = (edges[edge] ?? 0) + 1;
      if (edge >= edgeMin) steep += 1;
    }
  }
  return {
    brightness: rankOf(counts, data.length * 0.9),
    glare: burntSquareOf(small) / Math.min(width, height),
    sharpness: rankOf(edges, width * height * 0.99),
    detail: steep / data.length,
  };
}

/** Returns the side of the largest all-white square: finds a reflection, but not a bright page. */
function burntSquareOf({ data, width, height }: Grey): number {
  let before = new Uint16Array(width);
  let largest = 0;
  for (let y = 0; y < height; y += 1) {
    const row = new Uint16Array(width);
    for (let x = 0; x < width; x += 1) {
      if ((data[y * width + x] ?? 0) < burntOut) continue;
      const side = Math.min(before[x] ?? 0, before[x - 1] ?? 0, row[x - 1] ?? 0) + 1;
      row[x] = side;
      largest = Math.max(largest, side);
    }
    before = row;
  }
  return largest;
}

const brightnessMin = 45;
const glareMax = 0.06;
const softnessMax = 0.55;
/** Print in focus has far steeper edges, and a bare desk has none. */
const sharpnessMin = 60;
const detailMin = 0.005;

/** Dark photographs are not searched: their noise looks like print. */
export const isTooDark = ({ brightness }: Quality): boolean => brightness < brightnessMin;

/**
 * Returns why a photograph could not be read, as a reason that the person can act on. Called only
 * for photographs that could not be read: a dark one that was read is fine.
 */
export function refusalOf(
  quality: Quality,
  seen: { readonly isSeen: boolean; readonly isCut: boolean; readonly softness: number },
): Extract<ProofReason, 'too_dark' | 'glare' | 'cropped' | 'blur' | 'no_document' | 'unreadable'> {
  if (isTooDark(quality)) return 'too_dark';
  if (quality.glare > glareMax) return 'glare';
  if (seen.isCut) return 'cropped';
  if (seen.isSeen) return seen.softness > softnessMax ? 'blur' : 'unreadable';
  const isPrint = quality.detail > detailMin;
  return isPrint && quality.sharpness < sharpnessMin ? 'blur' : 'no_document';
}
