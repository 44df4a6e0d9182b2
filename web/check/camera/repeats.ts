/** A covered lens gives pictures without contrast, which are all the same. */
const contrastMin = 16;
/** A film that is played again repeats many pictures, and a photograph all. */
const repeatsMin = 4;
/** Five minutes of four pictures a second. */
const picturesMax = 1200;

/**
 * Watches for pictures that come again, byte for byte. The noise of a sensor makes each picture of
 * a real camera differ.
 * @returns takes the pixels of the next picture, as RGBA; returns whether the source repeats itself
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
