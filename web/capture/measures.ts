import { rankOf } from '../../domain/images/rank.ts';
import type { Grey } from './grey.ts';
import type { Rectangle } from './guide.ts';

/** Whole pixels of a frame, from `left` and `top` inclusive to `right` and `bottom` exclusive. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Returns the pixels within a rectangle that is reduced by a share of its size on each side. */
export function insideOf({ width, height }: Grey, guide: Rectangle, inset: number): Area {
  const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, value));
  return {
    left: clamp(Math.round(guide.x + guide.width * inset), width),
    top: clamp(Math.round(guide.y + guide.height * inset), height),
    right: clamp(Math.round(guide.x + guide.width * (1 - inset)), width),
    bottom: clamp(Math.round(guide.y + guide.height * (1 - inset)), height),
  };
}

/**
 * The 97th percentile of the brightness, 0 to 255. It measures the document even where it fills
 * little of the area.
 */
export const brightnessOf = (grey: Grey, area: Area): number => brightnessAt(grey, area, 0.97);

/** Returns the median brightness, 0 to 255. A reflection does not change it. */
export const typicalOf = (grey: Grey, area: Area): number => brightnessAt(grey, area, 0.5);

function brightnessAt({ data, width }: Grey, area: Area, share: number): number {
  const counts = new Uint32Array(256);
  let total = 0;
  for (let y = area.top; y < area.bottom; y += 1) {
    for (let x = area.left; x < area.right; x += 1) {
      const value = data[y * width + x] ?? 0;
      counts[value] = (counts[value] ?? 0) + 1;
      total += 1;
    }
  }
  return total === 0 ? 0 : rankOf(counts, total * share);
}

/** Brightness from which a pixel counts as overexposed. */
const saturated = 250;

/** Returns the share of overexposed pixels, 0 to 1. */
export function glareOf({ data, width }: Grey, area: Area): number {
  let [burnt, total] = [0, 0];
  for (let y = area.top; y < area.bottom; y += 1) {
    for (let x = area.left; x < area.right; x += 1) {
      if ((data[y * width + x] ?? 0) >= saturated) burnt += 1;
      total += 1;
    }
  }
  return total === 0 ? 0 : burnt / total;
}

/** Ratio of the 99th percentile to the median for normally distributed noise. */
const tailOfNoise = 3.82;

/**
 * Measures focus: the curvature (Laplacian) of the strongest edges, divided by their gradient.
 * About 1 in focus, and 0.3 at a blur radius of 1 pixel, independent of light and contrast.
 * Subtracts the median of the Laplacian: it is noise, because most of a document is empty.
 */
export function sharpnessOf({ data, width }: Grey, area: Area): number {
  const bends = new Uint32Array(1021);
  const slopes = new Uint32Array(511);
  let total = 0;
  for (let y = area.top + 1; y < area.bottom - 1; y += 1) {
    for (let x = area.left + 1; x < area.right - 1; x += 1) {
      const at = y * width + x;
      const [left, right] = [data[at - 1] ?? 0, data[at + 1] ?? 0];
      const [above, below] = [data[at - width] ?? 0, data[at + width] ?? 0];
      const bend = Math.abs(4 * (data[at] ?? 0) - left - right - above - below);
      const slope = Math.abs(right - left) + Math.abs(below - above);
      bends[bend] = (bends[bend] ?? 0) + 1;
      slopes[slope] = (slopes[slope] ?? 0) + 1;
      total += 1;
    }
  }
  if (total === 0) return 0;
  const noise = rankOf(bends, total * 0.5);
  const bend = rankOf(bends, total * 0.99) ** 2 - (noise * tailOfNoise) ** 2;
  const slope = rankOf(slopes, total * 0.99) ** 2 - (noise * tailOfNoise) ** 2 / 10;
  return Math.sqrt(Math.max(0, bend) / Math.max(1, slope));
}

/** Side of a block in pixels. Blocks average out sensor noise. */
const blockSide = 4;

/** Brightness of each block of a frame, row by row. Kept for comparison with the next frame. */
export interface Blocks {
  readonly data: Float32Array;
  readonly columns: number;
  readonly rows: number;
}

export function blocksOf({ data, width, height }: Grey): Blocks {
  const [columns, rows] = [Math.floor(width / blockSide), Math.floor(height / blockSide)];
  const blocks = new Float32Array(columns * rows);
  for (let y = 0; y < rows * blockSide; y += 1) {
    const row = Math.floor(y / blockSide) * columns;
    for (let x = 0; x < columns * blockSide; x += 1) {
      const at = row + Math.floor(x / blockSide);
      blocks[at] = (blocks[at] ?? 0) + (data[y * width + x] ?? 0) / blockSide ** 2;
    }
  }
  return { data: blocks, columns, rows };
}

/** Minimum brightness difference between the neighbors of a block. A smaller one is noise. */
const slopeMin = 8;

/**
 * Estimates how far the picture moved since the previous frame, as part of its width: the change of
 * brightness divided by the gradient. Returns 0 without a previous frame of the same size.
 */
export function movementOf({ data, columns, rows }: Blocks, previous: Blocks | null): number {
  if (previous?.columns !== columns || previous.rows !== rows || data.length === 0) return 0;
  let light = 0;
  for (let at = 0; at < data.length; at += 1) light += (data[at] ?? 0) - (previous.data[at] ?? 0);
  light /= data.length;
  let [changed, steep] = [0, 0];
  for (let y = 1; y < rows - 1; y += 1) {
    for (let x = 1; x < columns - 1; x += 1) {
      const at = y * columns + x;
      const change = (data[at] ?? 0) - (previous.data[at] ?? 0) - light;
      const slope = Math.hypot(
        (previous.data[at + 1] ?? 0) - (previous.data[at - 1] ?? 0),
        (previous.data[at + columns] ?? 0) - (previous.data[at - columns] ?? 0),
      );
      if (slope < slopeMin) continue;
      changed += Math.abs(change) * slope;
      steep += (slope * slope) / 2;
    }
  }
  return steep === 0 ? 0 : changed / steep / columns;
}
