import { Failure } from '../../../workflows/failures.ts';
import { uncanceled } from '../../runtime/cancellation.ts';
import { failureOf } from './provider-errors.ts';

/** Milliseconds without requests to an issuer after a failure. */
const coolDownMs = 30_000;

export interface RefreshedCache<T> {
  /**
   * Returns the cached value if it is younger than `ageMsMax`, even while a newer one is fetched.
   * Otherwise fetches it, once for all concurrent callers. After a failure the issuer is not asked
   * again for 30 seconds, or for its Retry-After if that is longer.
   */
  get(issuer: string, ageMsMax: number): Promise<Fetched<T>>;
}

export interface Fetched<T> {
  /** Time of the request, in milliseconds. */
  readonly at: number;
  readonly value: T;
}

export function createRefreshedCache<T>(
  lengthMax: number,
  clock: () => Date,
  fetchOne: (issuer: string) => Promise<T>,
): RefreshedCache<T> {
  const kept = new Map<string, Fetched<T>>();
  const running = new Map<string, Promise<Fetched<T>>>();
  const failed = new Map<string, { readonly until: number; readonly failure: Failure }>();

  async function fetchNow(issuer: string, at: number): Promise<Fetched<T>> {
    try {
      const fetched = { at, value: await fetchOne(issuer) };
      putNewest(kept, issuer, fetched, lengthMax);
      return fetched;
    } catch (error) {
      const failure = failureOf(error);
      const waitMs = Math.max(coolDownMs, (failure.retryAfterSeconds ?? 0) * 1000);
      putNewest(failed, issuer, { until: clock().getTime() + waitMs, failure }, lengthMax);
      throw error;
    }
  }

  return {
    async get(issuer, ageMsMax) {
      const now = clock().getTime();
      const known = kept.get(issuer);
      if (known && now - known.at < ageMsMax) return known;
      const inProgress = running.get(issuer);
      if (inProgress) return inProgress;
      const recent = failed.get(issuer);
      if (recent && now < recent.until) throw later(recent.failure, recent.until - now);
      const fetched = uncanceled(() => fetchNow(issuer, now));
      const fetching = fetched.finally(() => running.delete(issuer));
      running.set(issuer, fetching);
      return fetching;
    },
  };
}

/** Sets an entry as the newest one, and drops the oldest if there are too many. */
export function putNewest<V>(map: Map<string, V>, key: string, value: V, lengthMax: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > lengthMax && oldest !== undefined) map.delete(oldest);
}

/** Returns a cached failure, with the rest of its waiting time. */
function later({ code, cause }: Failure, leftMs: number): Failure {
  return new Failure(code, { cause, retryAfterSeconds: Math.ceil(leftMs / 1000) });
}
