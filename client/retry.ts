/** How often a call is retried, and the delays in between. */
export interface RetryPolicy {
  /** Retries after the first attempt; 0 for none. */
  readonly repeatsMax: number;
  /** Longest delay. The call fails immediately if the service requests a longer one. */
  readonly waitMsMax: number;
  /** The delay before the first retry is between 0 and this; it doubles with each retry. */
  readonly baseMs: number;
}

export const usualRetries: RetryPolicy = { repeatsMax: 4, waitMsMax: 20_000, baseMs: 250 };

const repeatsMaxMax = 20;

/**
 * Validates a policy.
 * @throws RangeError if the policy is not bounded
 */
export function checkPolicy(policy: RetryPolicy): RetryPolicy {
  const { repeatsMax, waitMsMax, baseMs } = policy;
  const isBounded = Number.isInteger(repeatsMax) && repeatsMax >= 0 && repeatsMax <= repeatsMaxMax;
  if (!isBounded || !(waitMsMax >= 0 && waitMsMax < Infinity) || !(baseMs >= 0)) {
    throw new RangeError(`retries: repeatsMax from 0 to ${repeatsMaxMax}, waits that end`);
  }
  return policy;
}

/** A proxy that lost the API sends 502 and 504: the call may or may not have taken effect. */
const repeatedStatuses: readonly number[] = [429, 502, 503, 504];

/** Returns true if an error response means that the same call should be retried. */
export function isWorthRepeating(status: number, code: string): boolean {
  if (repeatedStatuses.includes(status)) return true;
  return status === 409 && code === 'idempotency_in_progress';
}

/**
 * Parses Retry-After as seconds or as a date (RFC 9110 §10.2.3). Returns null if it is unreadable.
 */
export function readRetryAfter(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Requires a month name, because Date.parse accepts texts that are not HTTP dates.
  const atMs = /[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

/**
 * Returns the delay before retry `repeat` (from 0), with full jitter; null to give up. A delay
 * requested by the service is waited in full, with the jitter added, so that clients do not all
 * return at once.
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
