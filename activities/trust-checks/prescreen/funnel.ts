import type { PrescreenDay } from '../../../db/queries/prescreen.ts';

/**
 * The stages of a check in their order. A check that reached one reached all before it, except that
 * `delivered` counts mailed links alone.
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
/** How a check ended, or that it has not; each check is in one of these. */
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
/** What is timed, from the stage before; `total` from opening to decision. */
export const spans = ['open', 'start', 'consent', 'collect', 'decide', 'total'] as const;

export const funnelNames = [...stages, ...outcomes, 'mismatched'] as const;
export type Funnel = Readonly<Record<(typeof funnelNames)[number], number>>;
export type Counts = ReadonlyMap<string, number>;

const stagesLost = stages.filter((stage) => stage !== 'completed');
/** A bucket is a quarter of a doubling wide, from one second on; its middle stands for it. */
const bucketsPerDoubling = 4;

/** Days of one range added up, by the names of what was counted. */
export function addUp(days: readonly Pick<PrescreenDay, 'counts'>[]): Counts {
  const total = new Map<string, number>();
  for (const { counts } of days) {
    for (const [key, count] of Object.entries(counts)) {
      total.set(key, (total.get(key) ?? 0) + count);
    }
  }
  return total;
}

/** How many checks came to each stage and how they ended. */
export function funnelOf(counts: Counts): Funnel {
  const pairs = funnelNames.map((name) => [name, counts.get(name) ?? 0]);
  return Object.fromEntries(pairs) as Funnel;
}

/** Shares of 1, to four digits; null where there is nothing to have a share of. */
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

/** What half and nine tenths of a span's checks took at most, in seconds, from merged buckets. */
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

/** Why checks failed, the most frequent first. */
export function failureReasonsOf(counts: Counts) {
  return below(counts, 'reason.')
    .map(([reason_code, count]) => ({ reason_code, count }))
    .sort((a, b) => b.count - a.count || (a.reason_code < b.reason_code ? -1 : 1));
}

/** Up to where the checks came that ended without a decision. */
export function dropoffOf(counts: Counts) {
  return stagesLost.map((stage, place) => ({ stage, count: counts.get(`dropoff.${place}`) ?? 0 }));
}

/** What became of each proof that was asked for. */
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

/** What checks were run on. */
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
