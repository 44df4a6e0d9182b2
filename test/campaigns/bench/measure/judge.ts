import { bootstrapInterval, isNoisy, median, ratios, type Interval } from './statistics.ts';

/** The goal of a measure: a limit on the ratio to the floor, or on the candidate’s own value. */
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

/** An exact count, which needs no floor. */
export interface Count {
  readonly name: string;
  readonly value: number;
  readonly unit?: string;
  readonly max?: number;
}

export interface BenchResult {
  readonly id: string;
  readonly title: string;
  /** Describes how much was measured. */
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

/**
 * Computes the medians and the median of the paired ratios with its interval, and compares them
 * with the goal.
 */
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
