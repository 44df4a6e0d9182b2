import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../workflows/failures.ts';

const waitSecondsMax = 3600;

/**
 * Waits at most this long for a provider's client. The timeouts of clients bound silence, not a
 * slow trickle of bytes.
 * @throws Error without content when the time is over
 */
export async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = delay(timeoutMs, undefined, { signal: done.signal }).then((): never => {
    throw new Error('no answer in time');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}

/**
 * Returns the failure of a provider that may answer later. Its cause holds only the provider's name
 * and status: errors of clients can quote credentials, addresses and content.
 */
export function providerDown(
  provider: string,
  status: number | undefined,
  headers: Readonly<Record<string, unknown>> = {},
): Failure {
  const cause = new Error(`${provider}: ${status ?? 'no answer'}`);
  const retryAfterSeconds = waitSecondsOf(headers) ?? (status === 429 ? 30 : 5);
  return new Failure('dependency_unavailable', { cause, retryAfterSeconds });
}

/**
 * Returns the seconds to wait before the next request: `Retry-After` in seconds or as a date (RFC
 * 9110 §10.2.3), else `X-RateLimit-Reset`, an instant in seconds. Instants are compared with the
 * `Date` of the response, so that clocks need not agree. Bounds: one second to one hour.
 */
export function waitSecondsOf(headers: Readonly<Record<string, unknown>>): number | undefined {
  const reset = secondsOf(textOf(headers['x-ratelimit-reset']));
  const candidates = [retryAfterSecondsOf(headers), reset - instantOf(textOf(headers['date']))];
  const known = candidates.find((seconds) => Number.isFinite(seconds));
  if (known === undefined) return undefined;
  return Math.min(Math.max(Math.ceil(known), 1), waitSecondsMax);
}

/**
 * Returns the seconds of `Retry-After`, counted from the response; NaN where it is absent or
 * invalid.
 * @param now reference for a date when the response has no `Date`
 */
export function retryAfterSecondsOf(
  headers: Readonly<Record<string, unknown>>,
  now?: Date,
): number {
  const asked = textOf(headers['retry-after']);
  if (/^\d{1,9}$/.test(asked)) return Number(asked);
  const answered = instantOf(textOf(headers['date']));
  const from = Number.isNaN(answered) && now ? now.getTime() / 1000 : answered;
  return instantOf(asked) - from;
}

function textOf(header: unknown): string {
  return typeof header === 'string' ? header.slice(0, 64) : '';
}

/** Returns the seconds of an HTTP date. `Date.parse` alone accepts almost any text as a date. */
function instantOf(date: string): number {
  const isHttpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(date);
  return isHttpDate ? Date.parse(date) / 1000 : Number.NaN;
}

function secondsOf(epoch: string): number {
  return /^\d{9,11}$/.test(epoch) ? Number(epoch) : Number.NaN;
}
