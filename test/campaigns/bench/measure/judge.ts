import { bootstrapInterval, isNoisy, median, ratios, type Interval } from './statistics.ts';

/** What a goal bounds: the ratio to the floor, or the candidate's own figure. */
export interface Goal {
  readonly of: 'ratio' | 'candidate';
  readonly max: number;
}

/** One quantity, measured on both sides in every round. */
export interface Measure {
  readonly name: string;
  readonly unit: 'µs' | 'ms' | 'MiB' | 'KiB';
  readonly floor: readonly number[];
  readonly candidate: readonly number[];
  readonly goal?: Goal;
}

/** A count that needs no floor: it is exact, so that its bound is too. */
export interface Count {
  readonly name: string;
  readonly value: number;
  readonly unit?: string;
  readonly max?: number;
}

export interface BenchResult {
  readonly id: string;
  readonly title: string;
  /** How much was measured, in words. */
  readonly extent: string;
  readonly measures: readonly Measure[];
  readonly counts: readonly Count[];
}

export interface JudgedMeasure {
  readonly name: string;
  readonly unit: Measure['unit'];
  readonly floor: number;
  readonly candidate: number;
  readonly ratio: number;
  readonly interval95: Interval;
  readonly goal: Goal | null;
  readonly isMet: boolean | null;
  readonly isNoisy: boolean;
  readonly rounds: { readonly floor: readonly number[]; readonly candidate: readonly number[] };
}

/** Medians, the median of the paired ratios with its interval, and the goal held against them. */
export function judgeMeasure(measure: Measure, random: () => number): JudgedMeasure {
  const paired = ratios(measure.candidate, measure.floor);
  const [ratio, candidate] = [median(paired), median(measure.candidate)];
  const goal = measure.goal ?? null;
  const held = goal?.of === 'ratio' ? ratio : candidate;
  return {
    name: measure.name,
    unit: measure.unit,
    floor: median(measure.floor),
    candidate,
    ratio,
    interval95: bootstrapInterval(paired, random),
    goal,
    isMet: goal && held <= goal.max,
    isNoisy: isNoisy(measure.floor),
    rounds: { floor: measure.floor, candidate: measure.candidate },
  };
}

export interface JudgedCount extends Count {
  readonly isMet: boolean | null;
}

export function judgeCount(count: Count): JudgedCount {
  return { ...count, isMet: count.max === undefined ? null : count.value <= count.max };
}
