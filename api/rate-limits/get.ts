import { listCounted } from '../../db/queries/rate-limits.ts';
import type { Deps } from '../deps.ts';
import { callerName } from '../http/auth/caller.ts';
import { handler } from '../http/contract.ts';
import { rateLimitContracts } from './contract.ts';
import { limitedFor } from './limited.ts';

/** Returns the remaining limits of the caller and of the account they act in. */
export const get = handler(rateLimitContracts.get)(async (
  { caller, call },
  { db, settings: { smsLimits } }: Pick<Deps, 'db' | 'settings'>,
) => {
  const ofCaller = limitedFor(caller.kind).map(({ name, limit: { points, seconds } }) => ({
    name,
    key: `${name}:${callerName(caller)}`,
    points,
    seconds,
  }));
  const { accountId } = caller;
  const sms = [
    { name: 'sms.hour', kept: 'sms-account-hour', points: smsLimits.perAccountHourly },
    { name: 'sms.day', kept: 'sms-account-day', points: smsLimits.perAccountDaily },
  ].map(({ name, kept, points }) => ({
    name,
    key: `${kept}:${accountId ?? ''}`,
    points,
    seconds: name === 'sms.day' ? 24 * 3600 : 3600,
  }));
  const isTest = caller.kind === 'api-key' && !caller.livemode;
  const all = [...ofCaller, ...(accountId === null || isTest ? [] : sms)];
  const counted = await listCounted(
    db,
    all.map(({ key }) => key),
    call.now,
  );
  const limits = all.map(({ name, key, points, seconds }) => {
    const used = counted.get(key);
    return {
      name,
      limit: points,
      remaining: Math.max(0, points - (used?.points ?? 0)),
      window_seconds: seconds,
      resets_at: used?.resetsAt.toISOString() ?? null,
    };
  });
  return { status: 200, body: { limits } };
});
