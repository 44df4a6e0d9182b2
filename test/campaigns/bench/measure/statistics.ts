/** A floor that spreads more than this over its rounds makes the run a noisy one. */
export const noisySpread = 0.25;
const resamples = 2_000;

/** The value below which a part of the values lies, by linear interpolation; NaN of nothing. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (low === undefined || high === undefined) return Number.NaN;
  // Two equal ends need no sum: Infinity - Infinity would be no number.
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
 * The 95 % interval of the median by percentile bootstrap: the medians of resamples with
 * replacement, less 2.5 % on either side.
 * @param random gives numbers in [0, 1)
 */
export function bootstrapInterval(values: readonly number[], random: () => number): Interval {
  const pick = (): number => values[Math.floor(random() * values.length)] ?? Number.NaN;
  const medians = Array.from({ length: resamples }, () => median(values.map(pick)));
  return { low: quantile(medians, 0.025), high: quantile(medians, 0.975) };
}

/** Candidate through floor, round by round: what slows a whole round slows both. */
export function ratios(candidate: readonly number[], floor: readonly number[]): number[] {
  if (candidate.length !== floor.length) throw new Error('the rounds do not pair');
  return candidate.map((value, round) => value / (floor[round] ?? Number.NaN));
}

/** How far the values spread, as a part of their median. */
export function spreadOf(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

/** Whether the floor, which does the same thing every round, varied too much to be believed. */
export function isNoisy(floor: readonly number[]): boolean {
  return !(spreadOf(floor) <= noisySpread);
}
