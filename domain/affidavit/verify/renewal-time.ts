import type { AffidavitVerdict } from './verdict.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/**
 * A file is archived again this long before its last time stamp expires: enough time to fix
 * problems.
 */
const leadMs = 180 * dayMs;
const upgradeMs = 10 * minuteMs;

/**
 * Returns when a file is to be archived (again): half a year before its last time stamp expires, or
 * in ten minutes if it has no archive yet, stamped or not. Null if it does not verify.
 */
export function renewalTimeOf(
  { pades_level: level, proven_until: until }: AffidavitVerdict['facts'],
  now: Date,
): Date | null {
  if (level === 'PAdES-B-T' || level === 'PAdES-B-B') return new Date(now.getTime() + upgradeMs);
  if (level !== 'PAdES-B-LTA' || until === undefined) return null;
  return new Date(Date.parse(until) - leadMs);
}

/** Delay before another attempt for a file that waits or that failed. */
export const lookAgainMs = { waiting: 60 * minuteMs, failed: dayMs } as const;
