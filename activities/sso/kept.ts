import { Failure } from '../../workflows/failures.ts';
import { failureOf } from './provider-errors.ts';

/** How long an issuer is left alone after a failure. */
const coolDownMs = 30_000;

export interface Kept<T> {
  /**
   * What is known of it and no older, else what is fetched now: once for all who ask meanwhile. An
   * issuer that has failed is not asked again in the cool-down, or as long as it wants to be left
   * alone.
   */
  get(issuer: string, ageMsMax: number): Promise<Fetched<T>>;
}

interface Fetched<T> {
  /** When it was asked for, in milliseconds. */
  readonly at: number;
  readonly value: T;
}

export function createKept<T>(
  lengthMax: number,
  clock: () => Date,
  fetchOne: (issuer: string) => Promise<T>,
): Kept<T> {
  const kept = new Map<string, { readonly at: number; readonly value: Promise<Fetched<T>> }>();
  const failed = new Map<string, { readonly until: number; readonly failure: Failure }>();
  return {
    get(issuer, ageMsMax) {
      const now = clock().getTime();
      const known = kept.get(issuer);
      if (known && now - known.at < ageMsMax) return known.value;
      const away = failed.get(issuer);
      if (away && now < away.until) return Promise.reject(later(away.failure, away.until - now));
      const entry = { at: now, value: fetchOne(issuer).then((value) => ({ at: now, value })) };
      kept.delete(issuer);
      kept.set(issuer, entry);
      const [oldest] = kept.keys();
      if (kept.size > lengthMax && oldest !== undefined) kept.delete(oldest);
      entry.value.catch((error: unknown) => {
        const failure = failureOf(error);
        const waitMs = Math.max(coolDownMs, (failure.retryAfterSeconds ?? 0) * 1000);
        failed.delete(issuer);
        failed.set(issuer, { until: clock().getTime() + waitMs, failure });
        const [longest] = failed.keys();
        if (failed.size > lengthMax && longest !== undefined) failed.delete(longest);
        // What was known before is still as good as it was.
        if (kept.get(issuer) !== entry) return;
        if (known) kept.set(issuer, known);
        else kept.delete(issuer);
      });
      return entry.value;
    },
  };
}

/** A failure that is remembered, with what is left of its time. */
function later({ code, cause }: Failure, leftMs: number): Failure {
  return new Failure(code, { cause, retryAfterSeconds: Math.ceil(leftMs / 1000) });
}
