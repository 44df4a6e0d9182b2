import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Response } from 'express';
import type { QueryConfig } from 'pg';
import type { Db, Tx } from '../../db/client.ts';
import { pipelineStatement } from '../../db/statement-pipelining.ts';
import { Failure } from '../../workflows/failures.ts';
import { callerName, type Caller } from './auth/caller.ts';
import type { Contract, Limit } from './contract.ts';
import { networkOf } from './server/network-of.ts';

/** The state of a limit after this call, for the RateLimit headers. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until all points are available again; at least 1. */
  readonly resetSeconds: number;
  /** Whether this call exceeded the limit. */
  readonly isOver: boolean;
}

export type CountLimit = Omit<Limit, 'by'>;

export interface Limiter {
  /** Counts one call under a key. Calls with the same name share the limit. */
  count(name: string, key: string, limit: CountLimit): Promise<LimitState>;
}

/**
 * The library's name for the statement that counts a call. Its only other one deletes expired rows.
 */
const counting = 'rate_limits:rlflx-upsert';

const table = { tableName: 'rate_limits', tableCreated: true };

/**
 * Creates limits in PostgreSQL, so that they hold over all API processes. A caller over its limit
 * is refused from memory until the window ends, so a flood causes no queries.
 */
export function createLimiter(db: Db): Limiter {
  const limiters = new Map<string, RateLimiterPostgres>();
  const storeClient = {
    query: (query: QueryConfig) =>
      query.name === counting
        ? pipelineStatement(db, 'write', (client) => client.query(query))
        : db.query(query),
  };
  const limiterOf = (name: string, limit: CountLimit): RateLimiterPostgres => {
    const known = limiters.get(name);
    if (known) return known;
    const made = new RateLimiterPostgres({
      ...table,
      storeClient,
      storeType: 'pool',
      keyPrefix: name,
      points: limit.points,
      duration: limit.seconds,
      inMemoryBlockOnConsumed: limit.points + 1,
    });
    limiters.set(name, made);
    return made;
  };
  return { count: (name, key, limit) => consume(limiterOf(name, limit), key, limit) };
}

/** Returns the key of a limit by caller: the credential, or the network of an anonymous caller. */
export const limitKeyOf = (caller: Caller, address: string): string =>
  caller.kind === 'anonymous' ? networkOf(address) : callerName(caller);

/**
 * Counts the call and sets the `RateLimit-*` headers of its response. A limit by caller counts all
 * calls of authenticated callers, including those with invalid input.
 * @throws Failure `rate_limited`
 */
export async function countCall(
  contract: Contract,
  limiter: Limiter,
  response: Response,
  key: string,
): Promise<void> {
  if (!contract.limit) return;
  const state = await limiter.count(contract.id, key, contract.limit);
  response.setHeader('RateLimit-Limit', String(state.limit));
  response.setHeader('RateLimit-Remaining', String(state.remaining));
  response.setHeader('RateLimit-Reset', String(state.resetSeconds));
  if (state.isOver) throw new Failure('rate_limited', { retryAfterSeconds: state.resetSeconds });
}

/**
 * Counts one call in a transaction. A rollback undoes the count, and concurrent counts under the
 * same key wait for the commit. Callers that count several keys must always use the same order.
 */
export async function countInTransaction(
  tx: Tx,
  name: string,
  key: string,
  limit: CountLimit,
): Promise<LimitState> {
  const limiter = new RateLimiterPostgres({
    ...table,
    storeClient: tx,
    storeType: 'client',
    clearExpiredByTimeout: false,
    keyPrefix: name,
    points: limit.points,
    duration: limit.seconds,
  });
  return consume(limiter, key, limit);
}

async function consume(
  limiter: RateLimiterPostgres,
  key: string,
  limit: CountLimit,
): Promise<LimitState> {
  try {
    return stateOf(await limiter.consume(key), limit.points, false);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    return stateOf(error, limit.points, true);
  }
}

function stateOf(result: RateLimiterRes, points: number, isOver: boolean): LimitState {
  return {
    limit: points,
    remaining: isOver ? 0 : Math.max(0, result.remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
    isOver,
  };
}
