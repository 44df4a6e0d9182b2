import type { PrescreenDay } from '../../../db/queries/prescreen.ts';

/**
 * Stages of a check in order. A check that reached one stage reached all before it, except that
 * `delivered` counts only mailed links.
 */
export const stages = [
  'invited',
  'delivered',
  'opened',
  'started',
  'consented',
  'submitted',
  'completed',
] as const;
/** How a check ended, or `in_progress`. Each check has exactly one of these. */
export const outcomes = [
  'passed',
  'failed',
  'declined',
  'abandoned',
  'expired',
  'canceled',
  'in_progress',
] as const;
export const platforms = ['ios', 'android', 'web'] as const;
/** Timed intervals, each from the stage before; `total` is from opening to decision. */
export const spans = ['open', 'start', 'consent', 'collect', 'decide', 'total'] as const;

export const funnelNames = [...stages, ...outcomes, 'mismatched'] as const;
export type Funnel = Readonly<Record<(typeof funnelNames)[number], number>>;
export type Counts = ReadonlyMap<string, number>;

const stagesLost = stages.filter((stage) => stage !== 'completed');
/** A bucket is a quarter of a doubling wide, starting at one second. Its middle stands for it. */
const bucketsPerDoubling = 4;

/** Adds up the counts of several days, by name. */
export function addUp(days: readonly Pick<PrescreenDay, 'counts'>[]): Counts {
  const total = new Map<string, number>();
  for (const { counts } of days) {
    for (const [key, count] of Object.entries(counts)) {
      total.set(key, (total.get(key) ?? 0) + count);
    }
  }
  return total;
}

/** Returns the number of checks per stage and per outcome. */
export function funnelOf(counts: Counts): Funnel {
  const pairs = funnelNames.map((name) => [name, counts.get(name) ?? 0]);
  return Object.fromEntries(pairs) as Funnel;
}

/** Returns rates between 0 and 1, with four digits; null for a rate of nothing. */
export function ratesOf(funnel: Funnel) {
  return {
    open: share(funnel.opened, funnel.invited),
    start: share(funnel.started, funnel.opened),
    completion: share(funnel.completed, funnel.started),
    pass: share(funnel.passed, funnel.passed + funnel.failed),
    end_to_end: share(funnel.passed, funnel.invited),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}

/** Returns the 50th and 90th percentile of an interval in seconds, from merged buckets. */
export function durationOf(counts: Counts, span: (typeof spans)[number]) {
  const buckets = below(counts, `${span}.`)
    .map(([name, count]) => [Number(name), count] as const)
    .sort(([one], [other]) => one - other);
  const n = buckets.reduce((sum, [, count]) => sum + count, 0);
  return { p50_s: percentile(buckets, n, 0.5), p90_s: percentile(buckets, n, 0.9), n };
}

function percentile(
  buckets: readonly (readonly [number, number])[],
  n: number,
  part: number,
): number | null {
  let passed = 0;
  for (const [bucket, count] of buckets) {
    passed += count;
    if (passed >= part * n) return Math.round(2 ** ((bucket + 0.5) / bucketsPerDoubling));
  }
  return null;
}

/** Returns the reasons of failed checks, the most frequent first. */
export function failureReasonsOf(counts: Counts) {
  return below(counts, 'reason.')
    .map(([reason_code, count]) => ({ reason_code, count }))
    .sort((a, b) => b.count - a.count || (a.reason_code < b.reason_code ? -1 : 1));
}

/** Returns the last stage of checks that ended without a decision, with counts. */
export function dropoffOf(counts: Counts) {
  return stagesLost.map((stage, place) => ({ stage, count: counts.get(`dropoff.${place}`) ?? 0 }));
}

/** Returns the results of each requested proof. */
export function proofsOf(counts: Counts) {
  return namesBelow(counts, 'proof.').map((type) => {
    const [asked = 0, tried = 0, retried = 0, passed = 0, failed = 0] = [
      'asked',
      'tried',
      'retried',
      'passed',
      'failed',
    ].map((what) => counts.get(`proof.${type}.${what}`) ?? 0);
    return { type, asked, tried, retried, passed, failed };
  });
}

/** Returns the counts by platform. */
export function platformsOf(counts: Counts) {
  return platforms.map((platform) => ({
    platform,
    started: counts.get(`platform.${platform}.started`) ?? 0,
    passed: counts.get(`platform.${platform}.passed`) ?? 0,
  }));
}

function below(counts: Counts, prefix: string): [string, number][] {
  return [...counts].flatMap(([key, count]) =>
    key.startsWith(prefix) ? [[key.slice(prefix.length), count] satisfies [string, number]] : [],
  );
}

function namesBelow(counts: Counts, prefix: string): string[] {
  const names = below(counts, prefix).map(([name]) => name.slice(0, name.indexOf('.')));
  return [...new Set(names)].sort();
}
