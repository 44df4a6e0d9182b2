import { rangeOf } from '../../activities/phone/phone-number.ts';
import type { Tx } from '../../db/client.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { countInTransaction } from '../limits.ts';

type LimitDeps = Pick<Deps, 'sealer' | 'settings'>;

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;

/**
 * Counts a message against what its number, the number's range and the account may still have: the
 * last thing its transaction does, since others who send to the same wait until it ends; a message
 * that is refused rolls back, and is counted nowhere. Throws `rate_limited`: all limits are asked
 * and refuse in one way, with one Retry-After, so that nobody learns from it which numbers are
 * known here.
 */
export async function countMessage(
  tx: Tx,
  deps: LimitDeps,
  message: { readonly to: string; readonly accountId: number },
): Promise<void> {
  let isOver = false;
  // One after the other, from the narrowest to the widest: two who count never wait in a ring.
  for (const { name, key, limit } of limitsOf(deps, message)) {
    const counted = await countInTransaction(tx, name, key, limit);
    isOver ||= counted.isOver;
  }
  if (isOver) throw new Failure('rate_limited', { retryAfterSeconds: hourSeconds });
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
