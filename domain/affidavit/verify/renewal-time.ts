import type { AffidavitVerdict } from './verdict.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Before the last time stamp ends, a file is archived again: time enough to mend what hinders. */
const leadMs = 180 * dayMs;
const upgradeMs = 10 * minuteMs;

/**
 * When a file is to be archived (again): half a year before its last time stamp ends, one that was
 * not archived soon, be it stamped or not. Null for what does not verify.
 */
export function renewalTimeOf(
  { pades_level: level, proven_until: until }: AffidavitVerdict['facts'],
  now: Date,
): Date | null {
  if (level === 'PAdES-B-T' || level === 'PAdES-B-B') return new Date(now.getTime() + upgradeMs);
  if (level !== 'PAdES-B-LTA' || until === undefined) return null;
  return new Date(Date.parse(until) - leadMs);
}

/** After how long one is looked at again that waits, or that failed. */
export const lookAgainMs = { waiting: 60 * minuteMs, failed: dayMs } as const;
