import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare, typed } from '../prepare.ts';
import { and, gt, sql } from '../schema/drizzle.ts';
import { smsStops } from '../schema/phone-codes.ts';

export type SmsStopRow = typeof smsStops.$inferSelect;

const { ends_at, route } = smsStops;

/** Sent and verified codes of a route in the counted period. */
export interface Conversion {
  readonly route: string;
  readonly sent: number;
  readonly verified: number;
}

/** Counts older than two days are not read. Each call deletes a few of them. */
const counting = (what: 'sent' | 'verified'): string =>
  `WITH swept AS (
     DELETE FROM sms_routes WHERE (route, begins_at) IN (
       SELECT route, begins_at FROM sms_routes
       WHERE begins_at < :now::timestamptz - interval '2 days'
       ORDER BY begins_at LIMIT 20 FOR UPDATE SKIP LOCKED)
   )
   INSERT INTO sms_routes (route, begins_at, ${what})
   SELECT route, date_bin('10 minutes', :now::timestamptz, 'epoch'), 1
   FROM unnest(:routes::text[]) AS named (route) ORDER BY route
   ON CONFLICT (route, begins_at) DO UPDATE SET ${what} = sms_routes.${what} + 1`;
const addSent = statement('sms_routes.sent', counting('sent'));
const addVerified = statement('sms_routes.verified', counting('verified'));
const conversions = statement<Conversion>(
  'sms_routes.conversions',
  `SELECT r.route, coalesce(sum(r.sent) FILTER (WHERE r.begins_at <= :settledAt), 0)::int AS sent,
     sum(r.verified)::int AS verified
   FROM sms_routes r LEFT JOIN sms_stops s USING (route)
   WHERE r.route = ANY (:routes::text[]) AND r.begins_at >= greatest(:since, s.ends_at)
   GROUP BY r.route ORDER BY r.route`,
);
const stopped = prepare('sms_stops.of', { routes: typed<readonly string[]>(), ends_at }, ({ by }) =>
  build
    .select()
    .from(smsStops)
    .where(and(sql`${route} = ANY (${by.routes}::text[])`, gt(ends_at, by.ends_at)))
    .orderBy(route)
    .limit(1),
);
const add = statement<SmsStopRow>(
  'sms_stops.add',
  `INSERT INTO sms_stops (route, stopped_at, ends_at, sent, verified) VALUES (:route, :stopped_at,
   :ends_at, :sent, :verified)
   ON CONFLICT (route) DO UPDATE
     SET stopped_at = :stopped_at, ends_at = :ends_at, sent = :sent, verified = :verified
   WHERE sms_stops.ends_at <= :stopped_at RETURNING *`,
);
const current = statement<SmsStopRow>(
  'sms_stops.current',
  'SELECT * FROM sms_stops WHERE ends_at > :now ORDER BY stopped_at, route LIMIT :lengthMax',
);
const lift = prepare('sms_stops.lift', { route, ends_at }, ({ by, equals }) =>
  build
    .update(smsStops)
    .set({ ends_at: by.ends_at })
    .where(and(equals.route, gt(ends_at, by.ends_at)))
    .returning(),
);

/**
 * Counts a sent code on its routes. Call it late in the transaction, because other senders wait for
 * the row locks.
 */
export async function countCodeSent(tx: Tx, routes: readonly string[], now: Date): Promise<void> {
  await addSent(tx, { routes, now });
}

/** Counts a correctly entered code on the routes it was sent by. */
export async function countCodeVerified(
  tx: Tx,
  routes: readonly string[],
  now: Date,
): Promise<void> {
  await addVerified(tx, { routes, now });
}

/**
 * Returns the counts of routes since an instant, or since the last stop of each. Codes sent after
 * `settledAt` do not count as sent, because they may still be entered.
 */
export function readConversions(
  on: Queryable,
  routes: readonly string[],
  { since, settledAt }: { readonly since: Date; readonly settledAt: Date },
): Promise<Conversion[]> {
  return conversions(on, { routes, since, settledAt });
}

/** Returns the current stop of one of the routes, or null. */
export async function findSmsStop(
  on: Queryable,
  routes: readonly string[],
  now: Date,
): Promise<SmsStopRow | null> {
  return firstOf(await stopped(on, { routes, ends_at: now }));
}

/** Stops a route. Returns null if it is already stopped. */
export async function addSmsStop(on: Queryable, row: SmsStopRow): Promise<SmsStopRow | null> {
  const { route, stopped_at, ends_at, sent, verified } = row;
  return firstOf(await add(on, { route, stopped_at, ends_at, sent, verified }));
}

/** Returns at most `lengthMax` current stops, oldest first. */
export function listSmsStops(on: Queryable, now: Date, lengthMax: number): Promise<SmsStopRow[]> {
  return current(on, { now, lengthMax });
}

/** Lifts a stop; earlier counts no longer matter. Returns null if the route was not stopped. */
export async function liftSmsStop(
  on: Queryable,
  route: string,
  now: Date,
): Promise<SmsStopRow | null> {
  return firstOf(await lift(on, { route, ends_at: now }));
}
