import { rangeOf } from '../../activities/phone/phone-number.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import type { LimitState } from '../limits.ts';

type LimitDeps = Pick<Deps, 'sealer' | 'settings' | 'limiter'>;

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;

/**
 * Counts a message against what its number, the number's range and the account may still have, then
 * does `work`; a message that is refused, or whose work throws, is counted nowhere. Throws
 * `rate_limited`: all limits are asked at once and refuse in one way, with one Retry-After, so that
 * nobody learns from it which numbers are known here.
 */
export async function withinSmsLimits<T>(
  deps: LimitDeps,
  message: { readonly to: string; readonly accountId: number },
  work: () => Promise<T>,
): Promise<T> {
  const limits = limitsOf(deps, message);
  const counts = await Promise.allSettled(
    limits.map(async ({ name, key, limit }) => deps.limiter.count(name, key, limit)),
  );
  try {
    if (isOneOver(counts)) throw new Failure('rate_limited', { retryAfterSeconds: hourSeconds });
    return await work();
  } catch (error) {
    // What is over its limit has been counted, too.
    const counted = limits.filter((_, index) => counts[index]?.status === 'fulfilled');
    // Should this fail, a message too many is counted, until its window ends.
    await Promise.allSettled(
      counted.map(async ({ name, key, limit }) => deps.limiter.giveBack(name, key, limit)),
    );
    throw error;
  }
}

/** Throws what went wrong in counting, if something did. */
function isOneOver(counts: readonly PromiseSettledResult<LimitState>[]): boolean {
  return counts
    .map((count) => {
      if (count.status === 'rejected') throw count.reason;
      return count.value;
    })
    .some(({ isOver }) => isOver);
}

/** Numbers lie in the table of limits as a keyed hash only. */
function limitsOf(
  { sealer, settings: { smsLimits } }: LimitDeps,
  { to, accountId }: { readonly to: string; readonly accountId: number },
) {
  const blind = (kind: string, text: string): string =>
    sealer.blind(kind, text).toString('base64url');
  const per = (name: string, key: string, points: number, seconds: number) => ({
    name,
    key,
    limit: { points, seconds, isReturnable: true },
  });
  return [
    per('sms-number', blind('phone-number', to), smsLimits.perNumberHourly, hourSeconds),
    per('sms-range', blind('phone-range', rangeOf(to)), smsLimits.perRangeHourly, hourSeconds),
    per('sms-account-hour', String(accountId), smsLimits.perAccountHourly, hourSeconds),
    per('sms-account-day', String(accountId), smsLimits.perAccountDaily, daySeconds),
  ];
}
