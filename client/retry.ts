/** How often a call is repeated, and how long it waits in between. */
export interface RetryPolicy {
  /** Repeats after the first attempt; 0 for none. */
  readonly repeatsMax: number;
  /** The longest wait; who is told to come again later than that gives up at once. */
  readonly waitMsMax: number;
  /** The wait before the first repeat lies between 0 and this, and doubles with each. */
  readonly baseMs: number;
}

export const usualRetries: RetryPolicy = { repeatsMax: 4, waitMsMax: 20_000, baseMs: 250 };

const repeatsMaxMax = 20;

/** Throws `RangeError` for a policy that is not bounded. */
export function checkPolicy(policy: RetryPolicy): RetryPolicy {
  const { repeatsMax, waitMsMax, baseMs } = policy;
  const isBounded = Number.isInteger(repeatsMax) && repeatsMax >= 0 && repeatsMax <= repeatsMaxMax;
  if (!isBounded || !(waitMsMax >= 0 && waitMsMax < Infinity) || !(baseMs >= 0)) {
    throw new RangeError(`retries: repeatsMax from 0 to ${repeatsMaxMax}, waits that end`);
  }
  return policy;
}

/** 502 and 504 come from a proxy that lost the API: the call may have been done, or not. */
const repeatedStatuses: readonly number[] = [429, 502, 503, 504];

/** Whether an error answer says to come again with the same call. */
export function isWorthRepeating(status: number, code: string): boolean {
  if (repeatedStatuses.includes(status)) return true;
  return status === 409 && code === 'idempotency_in_progress';
}

/** Retry-After as seconds or as a date (RFC 9110 §10.2.3); null where it says nothing readable. */
export function readRetryAfter(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // A date has the name of its month: without one Date.parse takes what is none.
  const atMs = /[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

/**
 * The wait before repeat `repeat` (from 0), with full jitter; null to give up. What the service
 * asked for is waited for in whole, with the jitter on top, so that not all come back at once.
 */
export function waitMsBefore(
  policy: RetryPolicy,
  repeat: number,
  askedMs: number | null,
  random: () => number,
): number | null {
  if (repeat >= policy.repeatsMax) return null;
  const jitterMs = random() * Math.min(policy.waitMsMax, policy.baseMs * 2 ** repeat);
  if (askedMs === null) return jitterMs;
  return askedMs > policy.waitMsMax ? null : askedMs + jitterMs;
}
