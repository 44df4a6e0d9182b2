import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Db } from '../db/client.ts';
import { Failure } from '../workflows/failures.ts';
import type { Limit } from './contract.ts';

/** What is left of a limit after this call, for the RateLimit headers. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

export interface Limiter {
  /** Counts one call. Throws `rate_limited` with its Retry-After when the points are spent. */
  consume(name: string, key: string, limit: Limit): Promise<LimitState>;
}

/**
 * Limits kept in PostgreSQL, so that they hold over all API processes. A caller over its limit is
 * refused from memory until the window ends: a flood costs no query.
 */
export function createLimiter(db: Db): Limiter {
  const limiters = new Map<string, RateLimiterPostgres>();
  const limiterOf = (name: string, limit: Limit): RateLimiterPostgres => {
    const known = limiters.get(name);
    if (known) return known;
    const made = new RateLimiterPostgres({
      storeClient: db,
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      keyPrefix: name,
      points: limit.points,
      duration: limit.seconds,
      inMemoryBlockOnConsumed: limit.points + 1,
    });
    limiters.set(name, made);
    return made;
  };
  return {
    async consume(name, key, limit) {
      try {
        return stateOf(await limiterOf(name, limit).consume(key), limit);
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        const retryAfterSeconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000));
        throw new Failure('rate_limited', { retryAfterSeconds });
      }
    },
  };
}

function stateOf(result: RateLimiterRes, limit: Limit): LimitState {
  return {
    limit: limit.points,
    remaining: result.remainingPoints,
    resetSeconds: Math.ceil(result.msBeforeNext / 1000),
  };
}
