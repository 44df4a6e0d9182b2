/**
 * Minimum contrast to compare pictures. A covered lens delivers identical pictures without
 * contrast.
 */
const contrastMin = 16;
/** A replayed film repeats many pictures, and a photograph repeats all of them. */
const repeatsMin = 4;
/** Five minutes at four pictures per second. */
const picturesMax = 1200;

/**
 * Detects pictures that repeat byte for byte. Sensor noise makes each picture of a real camera
 * unique.
 * @returns a function that takes the next picture (RGBA) and returns whether the source repeats
 * itself
 */
export function watchRepeats(): (pixels: Uint8ClampedArray) => boolean {
  const seen = new Set<number>();
  let repeats = 0;
  return (pixels) => {
    const hash = pixels.reduce((sum, value) => (Math.imul(sum, 31) + value) | 0, 0);
    const hasContrast = pixels.some(
      (value, at) => Math.abs(value - (pixels[at % 4] ?? 0)) >= contrastMin,
    );
    if (hasContrast && seen.has(hash)) repeats += 1;
    if (seen.size < picturesMax) seen.add(hash);
    return repeats >= repeatsMin;
  };
}
