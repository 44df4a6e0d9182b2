import { rangeOf } from '../../activities/phone/phone-number.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';

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
  const counted = await Promise.all(
    limits.map(async ({ name, key, limit }) => deps.limiter.count(name, key, limit)),
  );
  try {
    if (counted.some(({ isOver }) => isOver)) {
      throw new Failure('rate_limited', { retryAfterSeconds: hourSeconds });
    }
    return await work();
  } catch (error) {
    const held = limits.filter((_, index) => !counted[index]?.isOver);
    // Should this fail, a message too many is counted, until its window ends.
    await Promise.allSettled(
      held.map(async ({ name, key, limit }) => deps.limiter.giveBack(name, key, limit)),
    );
    throw error;
  }
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
    limit: { points, seconds },
  });
  return [
    per('sms-number', blind('phone-number', to), smsLimits.perNumberHourly, hourSeconds),
    per('sms-range', blind('phone-range', rangeOf(to)), smsLimits.perRangeHourly, hourSeconds),
    per('sms-account-hour', String(accountId), smsLimits.perAccountHourly, hourSeconds),
    per('sms-account-day', String(accountId), smsLimits.perAccountDaily, daySeconds),
  ];
}
