import { Failure } from '../../../workflows/failures.ts';

/** Limits the requests of one process to a provider about single tokens. */
export interface RequestLimit {
  /** @throws Failure `dependency_unavailable` if the limit of the provider is reached */
  within<T>(provider: string, ask: () => Promise<T>): Promise<T>;
}

interface RequestLimitOptions {
  readonly clock: () => Date;
  readonly inFlightMax?: number;
  readonly perMinuteMax?: number;
}

interface Usage {
  since: number;
  count: number;
  inFlight: number;
}

const minuteMs = 60_000;
const providersMax = 1_000;

/**
 * Limits what forged tokens cost a provider and us: concurrent requests, and requests per minute.
 */
export function createRequestLimit({
  clock,
  inFlightMax = 20,
  perMinuteMax = 600,
}: RequestLimitOptions): RequestLimit {
  const usages = new Map<string, Usage>();
  return {
    async within(provider, ask) {
      const now = clock().getTime();
      const usage = usages.get(provider) ?? { since: now, count: 0, inFlight: 0 };
      if (now - usage.since >= minuteMs) Object.assign(usage, { since: now, count: 0 });
      if (usage.inFlight >= inFlightMax) throw tooMuch(1);
      if (usage.count >= perMinuteMax) throw tooMuch((usage.since + minuteMs - now) / 1000);
      usage.count += 1;
      usage.inFlight += 1;
      usages.delete(provider);
      usages.set(provider, usage);
      forgetIdle(usages);
      try {
        return await ask();
      } finally {
        usage.inFlight -= 1;
      }
    },
  };
}

function forgetIdle(usages: Map<string, Usage>): void {
  if (usages.size <= providersMax) return;
  const [idle] = [...usages].find(([, { inFlight }]) => inFlight === 0) ?? [];
  if (idle !== undefined) usages.delete(idle);
}

function tooMuch(seconds: number): Failure {
  const cause = new Error('sign-in provider: it is asked as much as it may be');
  const retryAfterSeconds = Math.max(1, Math.ceil(seconds));
  return new Failure('dependency_unavailable', { cause, retryAfterSeconds });
}
