import { addSmsStop, findSmsStop, readConversions } from '../../../db/queries/sms-routes.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps, Telemetry } from '../../deps.ts';

type RouteDeps = Pick<Deps, 'db' | 'settings'> & {
  readonly telemetry: Pick<Telemetry, 'metrics' | 'log'>;
};

const minuteMs = 60_000;
/** Period of the counted codes, and duration of a stop unless an operator ends it earlier. */
const windowMs = 6 * 60 * minuteMs;
/** A code is valid for ten minutes, counted in steps of ten. Newer ones may still be typed. */
const settlingMs = 20 * minuteMs;
const retryAfterSeconds = 3600;

/**
 * Refuses routes on which too few of the sent codes are typed. This is a sign of SMS pumping or of
 * undelivered messages. A route is a country for one account, or a range of a million numbers for
 * all accounts. It stays stopped until the stop expires or an operator ends it.
 * @throws Failure `rate_limited`, like every other limit of messages
 */
export async function checkRoutes(
  deps: RouteDeps,
  routes: readonly string[],
  now: Date,
): Promise<void> {
  const { conversionPercentMin: percentMin, conversionSentMin: sentMin } = deps.settings.smsLimits;
  if (percentMin === 0) return;
  if (await findSmsStop(deps.db, routes, now)) throw refused(deps);
  const since = new Date(now.getTime() - windowMs);
  const settledAt = new Date(now.getTime() - settlingMs);
  const counted = await readConversions(deps.db, routes, { since, settledAt });
  const bad = counted.filter(({ sent, verified }) => {
    return sent >= sentMin && verified * 100 < sent * percentMin;
  });
  for (const { route, sent, verified } of bad) {
    const ends_at = new Date(now.getTime() + windowMs);
    const made = await addSmsStop(deps.db, { route, stopped_at: now, ends_at, sent, verified });
    if (made) deps.telemetry.log.warn({ route, sent, verified }, 'text messages are stopped');
  }
  if (bad.length > 0) throw refused(deps);
}

function refused({ telemetry }: RouteDeps): Failure {
  telemetry.metrics.sms.refusals.inc({ limit: 'conversion' });
  return new Failure('rate_limited', { retryAfterSeconds });
}
