import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Db } from '../db/client.ts';
import type { Limit } from './contract.ts';

/** What is left of a limit after this call, for the RateLimit headers. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Until all points are there again; at least one. */
  readonly resetSeconds: number;
  /** Whether this call was one too many. */
  readonly isOver: boolean;
}

export interface CountLimit extends Omit<Limit, 'by'> {
  /** Calls of it may be given back, those that were over it, too. */
  readonly isReturnable?: boolean;
}

export interface Limiter {
  /** Counts one call under a key; the same name is the same limit. */
  count(name: string, key: string, limit: CountLimit): Promise<LimitState>;
  /** Takes back a call of a returnable limit that was counted and then not made. */
  giveBack(name: string, key: string, limit: CountLimit): Promise<void>;
}

/**
 * Limits kept in PostgreSQL, so that they hold over all API processes. A caller over its limit is
 * refused from memory until the window ends: a flood costs no query. Not so where calls are given
 * back: memory would not hear of it.
 */
export function createLimiter(db: Db): Limiter {
  const limiters = new Map<string, RateLimiterPostgres>();
  const limiterOf = (name: string, limit: CountLimit): RateLimiterPostgres => {
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
      ...(limit.isReturnable ? {} : { inMemoryBlockOnConsumed: limit.points + 1 }),
    });
    limiters.set(name, made);
    return made;
  };
  return {
    async count(name, key, limit) {
      try {
        return stateOf(await limiterOf(name, limit).consume(key), limit.points, false);
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        return stateOf(error, limit.points, true);
      }
    },
    async giveBack(name, key, limit) {
      await limiterOf(name, limit).reward(key);
    },
  };
}

function stateOf(result: RateLimiterRes, points: number, isOver: boolean): LimitState {
  return {
    limit: points,
    remaining: isOver ? 0 : Math.max(0, result.remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
    isOver,
  };
}
