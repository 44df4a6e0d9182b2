import type { Tx } from '../../../db/client.ts';
import { rangeOf } from '../../../domain/proofs/phone/phone-number.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps, Telemetry } from '../../deps.ts';
import { countInTransaction } from '../../http/limits.ts';
import { networkOf } from '../../http/server/network-of.ts';
import type { SmsLimitName } from '../../metrics.ts';

type LimitDeps = Pick<Deps, 'sealer' | 'settings'> & {
  readonly telemetry: Pick<Telemetry, 'metrics'>;
};

export interface CountedMessage {
  readonly to: string;
  readonly accountId: number;
  /** Whence it is asked for. */
  readonly address: string;
}

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;
/** What all accounts share. */
const platformLimit = 'day';

/**
 * Counts a message against what its number, the number's range, the address that asks, the account
 * and the platform may still have: the last thing its transaction does, since others who send to
 * the same wait until it ends; a message that is refused rolls back, and is counted nowhere. Throws
 * `rate_limited`: all limits are asked and refuse in one way, with one Retry-After, so that nobody
 * learns from it which numbers are known here.
 */
export async function countMessage(
  tx: Tx,
  deps: LimitDeps,
  message: CountedMessage,
): Promise<void> {
  const { sms } = deps.telemetry.metrics;
  let isOver = false;
  // One after the other, from the narrowest to the widest: two who count never wait in a ring.
  for (const { name, key, limit } of limitsOf(deps, message)) {
    const counted = await countInTransaction(tx, `sms-${name}`, key, limit);
    isOver ||= counted.isOver;
    if (counted.isOver) sms.refusals.inc({ limit: name });
    if (name === platformLimit) sms.budgetUsed.set(1 - counted.remaining / limit.points);
  }
  if (isOver) throw new Failure('rate_limited', { retryAfterSeconds: hourSeconds });
}

/** Numbers and addresses lie in the table of limits as keyed hashes only. */
function limitsOf(
  { sealer, settings: { smsLimits, isClientAddressKnown } }: LimitDeps,
  { to, accountId, address }: CountedMessage,
) {
  const blind = (kind: string, text: string): string =>
    sealer.blind(kind, text).toString('base64url');
  const per = (name: SmsLimitName, key: string, points: number, seconds: number) => ({
    name,
    key,
    limit: { points, seconds },
  });
  const number = blind('phone-number', to);
  const network = blind('phone-network', networkOf(address));
  return [
    per('number', number, smsLimits.perNumberHourly, hourSeconds),
    per('number-day', number, smsLimits.perNumberDaily, daySeconds),
    per('range', blind('phone-range', rangeOf(to)), smsLimits.perRangeHourly, hourSeconds),
    // Behind a proxy that is not known, everybody has the address of the proxy.
    ...(isClientAddressKnown
      ? [per('network', network, smsLimits.perNetworkHourly, hourSeconds)]
      : []),
    per('account-hour', String(accountId), smsLimits.perAccountHourly, hourSeconds),
    per('account-day', String(accountId), smsLimits.perAccountDaily, daySeconds),
    per(platformLimit, 'all', smsLimits.daily, daySeconds),
  ];
}
