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

interface Asked {
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
  const known = new Map<string, Asked>();
  return {
    async within(provider, ask) {
      const now = clock().getTime();
      const asked = known.get(provider) ?? { since: now, count: 0, inFlight: 0 };
      if (now - asked.since >= minuteMs) Object.assign(asked, { since: now, count: 0 });
      if (asked.inFlight >= inFlightMax) throw tooMuch(1);
      if (asked.count >= perMinuteMax) throw tooMuch((asked.since + minuteMs - now) / 1000);
      asked.count += 1;
      asked.inFlight += 1;
      known.delete(provider);
      known.set(provider, asked);
      forgetIdle(known);
      try {
        return await ask();
      } finally {
        asked.inFlight -= 1;
      }
    },
  };
}

function forgetIdle(known: Map<string, Asked>): void {
  if (known.size <= providersMax) return;
  const [idle] = [...known].find(([, { inFlight }]) => inFlight === 0) ?? [];
  if (idle !== undefined) known.delete(idle);
}

function tooMuch(seconds: number): Failure {
  const cause = new Error('sign-in provider: it is asked as much as it may be');
  const retryAfterSeconds = Math.max(1, Math.ceil(seconds));
  return new Failure('dependency_unavailable', { cause, retryAfterSeconds });
}
