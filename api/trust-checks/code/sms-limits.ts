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
  /** Client address of the request. */
  readonly address: string;
}

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;
/** The limit that all accounts share. */
const platformLimit = 'day';

/**
 * Counts a message against the limits of its number, the number's range, the client's network, the
 * account and the service. It must be the last step of its transaction, because concurrent senders
 * wait for the commit. A refused message is rolled back and not counted.
 * @throws Failure `rate_limited`; all limits are checked and give the same Retry-After, so that the
 *   response does not reveal which numbers are known
 */
export async function countMessage(
  tx: Tx,
  deps: LimitDeps,
  message: CountedMessage,
): Promise<void> {
  const { sms } = deps.telemetry.metrics;
  let isOver = false;
  // In one order, from the narrowest limit to the widest, so that concurrent counts cannot
  // deadlock.
  for (const { name, key, limit } of limitsOf(deps, message)) {
    const counted = await countInTransaction(tx, `sms-${name}`, key, limit);
    isOver ||= counted.isOver;
    if (counted.isOver) sms.refusals.inc({ limit: name });
    if (name === platformLimit) sms.budgetUsed.set(1 - counted.remaining / limit.points);
  }
  if (isOver) throw new Failure('rate_limited', { retryAfterSeconds: hourSeconds });
}

/** The table of limits contains numbers and addresses only as keyed hashes. */
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
    // Behind an unknown proxy all clients have the address of the proxy.
    ...(isClientAddressKnown
      ? [per('network', network, smsLimits.perNetworkHourly, hourSeconds)]
      : []),
    per('account-hour', String(accountId), smsLimits.perAccountHourly, hourSeconds),
    per('account-day', String(accountId), smsLimits.perAccountDaily, daySeconds),
    per(platformLimit, 'all', smsLimits.daily, daySeconds),
  ];
}
