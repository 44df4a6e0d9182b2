/** A run is noisy when its floor spreads more than this over its rounds. */
export const noisySpread = 0.25;
const resamples = 2_000;

/** Returns a quantile by linear interpolation; NaN for an empty list. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (low === undefined || high === undefined) return Number.NaN;
  // Avoids Infinity - Infinity, which is NaN, for equal ends.
  return low === high ? low : low + (high - low) * (place - Math.floor(place));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Returns the 95 % interval of the median by percentile bootstrap: the medians of resamples with
 * replacement, without 2.5 % at either end. `random` returns numbers in [0, 1).
 */
export function bootstrapInterval(values: readonly number[], random: () => number): Interval {
  const pick = (): number => values[Math.floor(random() * values.length)] ?? Number.NaN;
  const medians = Array.from({ length: resamples }, () => median(values.map(pick)));
  return { low: quantile(medians, 0.025), high: quantile(medians, 0.975) };
}

/** Divides candidate by floor per round, because a slow round slows both. */
export function ratios(candidate: readonly number[], floor: readonly number[]): number[] {
  if (candidate.length !== floor.length) throw new Error('the rounds do not pair');
  return candidate.map((value, round) => value / (floor[round] ?? Number.NaN));
}

/** Returns the spread of the values as a fraction of their median. */
export function spreadOf(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

/** Returns whether the floor, which does the same in every round, varied too much. */
export function isNoisy(floor: readonly number[]): boolean {
  return !(spreadOf(floor) <= noisySpread);
}
