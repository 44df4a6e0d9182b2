import { firstOf, statement, withTotal, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { calendarConnections } from '../schema/calendar.ts';
import { and } from '../schema/drizzle.ts';
import { accountOwner, platformOwner } from '../sealing/sealed.ts';

export type CalendarConnectionRow = typeof calendarConnections.$inferSelect;

const { connection_id, flow_id, version } = calendarConnections;

/** NOTIFY channel for connections whose workflow must be signaled. */
export const calendarConnectionsChannel = 'calendar_connections';

const tell = `pg_notify('${calendarConnectionsChannel}', '')`;
const insert = statement<CalendarConnectionRow>(
  'calendar_connections.insert',
  `INSERT INTO calendar_connections (connection_id, account_id, intent, poly_user_id, created_by,
     status, subject_blind, address_sealed, refresh_token_sealed, flow_id, created_at, connected_at)
   VALUES (:connection_id, :account_id, :intent::calendar_intent, :poly_user_id, :created_by,
     'connected', :subject_blind, :address_sealed, :refresh_token_sealed, :flow_id, :created_at,
     :created_at)
   ON CONFLICT (subject_blind) WHERE status <> 'disconnected' DO NOTHING RETURNING *, ${tell}`,
);
const renew = statement<CalendarConnectionRow>(
  'calendar_connections.renew',
  `UPDATE calendar_connections SET status = 'connected', address_sealed = :address_sealed,
     refresh_token_sealed = :refresh_token_sealed, flow_id = :flow_id, connected_at = :connected_at,
     version = version + 1,
     awaits_signal = true
   WHERE connection_id = :connection_id RETURNING *, ${tell}`,
);
const write = statement<CalendarConnectionRow>(
  'calendar_connections.write',
  `UPDATE calendar_connections SET status = :status::calendar_connection_state,
     refresh_token_sealed = :refresh_token_sealed, refreshed_at = :refreshed_at,
     disconnected_at = :disconnected_at, version = version + 1
   WHERE connection_id = :id RETURNING *`,
);
const find = prepare('calendar_connections.find', { connection_id }, ({ equals }) =>
  build.select().from(calendarConnections).where(equals.connection_id),
);
const lock = prepare('calendar_connections.lock', { connection_id }, ({ equals }) =>
  build.select().from(calendarConnections).where(equals.connection_id).for('update'),
);
const lockBySubject = statement<CalendarConnectionRow>(
  'calendar_connections.lock_by_subject',
  `SELECT * FROM calendar_connections
   WHERE subject_blind = :subjectBlind AND status <> 'disconnected'
   FOR UPDATE`,
);
const byFlow = prepare('calendar_connections.by_flow', { flow_id }, ({ equals }) =>
  build.select().from(calendarConnections).where(equals.flow_id),
);
const untold = statement<CalendarConnectionRow>(
  'calendar_connections.untold',
  `SELECT * FROM calendar_connections
   WHERE awaits_signal AND connection_id <> ALL (:without::text[])
     ORDER BY created_at LIMIT :lengthMax`,
);
/** Compares the version: a connection that changed since the signal is signaled again. */
const told = prepare('calendar_connections.told', { connection_id, version }, ({ equals }) =>
  build
    .update(calendarConnections)
    .set({ awaits_signal: false })
    .where(and(equals.connection_id, equals.version)),
);
const routing = `FROM calendar_connections
  WHERE intent = 'routing' AND status <> 'disconnected'
    AND (account_id = :accountId OR (:hasShared::bool AND account_id IS NULL))`;
const page = statement<CalendarConnectionRow>(
  'calendar_connections.page',
  `SELECT * ${routing} ORDER BY account_id NULLS LAST, created_at, connection_id
   LIMIT :limit OFFSET :offset`,
);
const count = statement<{ total: number }>(
  'calendar_connections.count',
  `SELECT count(*)::int AS total ${routing}`,
);

/** Owner of the data key for its columns: the account, or the platform. */
export const calendarOwner = (accountId: number | null): string =>
  accountId === null ? platformOwner : accountOwner(accountId);
/** Seal context of its columns. */
export const calendarContext = (
  connectionId: string,
  column: 'address' | 'refresh_token',
): string => `calendar_connections|${column}|${connectionId}`;

export type NewCalendarConnection = Omit<
  CalendarConnectionRow,
  'status' | 'version' | 'connected_at' | 'refreshed_at' | 'disconnected_at' | 'awaits_signal'
>;

/** Returns null if the subject is already connected. */
export async function insertCalendarConnection(
  tx: Tx,
  row: NewCalendarConnection,
): Promise<CalendarConnectionRow | null> {
  return firstOf(await insert(tx, row));
}

/** Records a new consent. The caller holds the lock of the connection. */
export async function renewCalendarConnection(
  tx: Tx,
  row: CalendarConnectionRow,
): Promise<CalendarConnectionRow> {
  return written(await renew(tx, row));
}

/** Writes changes that the workflow makes. The caller holds the lock of the connection. */
export async function writeCalendarConnection(
  tx: Tx,
  row: CalendarConnectionRow,
): Promise<CalendarConnectionRow> {
  const { connection_id: id, status, refresh_token_sealed, refreshed_at, disconnected_at } = row;
  return written(
    await write(tx, { id, status, refresh_token_sealed, refreshed_at, disconnected_at }),
  );
}

function written(rows: readonly CalendarConnectionRow[]): CalendarConnectionRow {
  const row = firstOf(rows);
  if (!row) throw new Error('a calendar connection was not changed');
  return row;
}

export async function findCalendarConnection(
  on: Queryable,
  connectionId: string,
): Promise<CalendarConnectionRow | null> {
  return firstOf(await find(on, { connection_id: connectionId }));
}

export async function lockCalendarConnection(
  tx: Tx,
  connectionId: string,
): Promise<CalendarConnectionRow | null> {
  return firstOf(await lock(tx, { connection_id: connectionId }));
}

/** Returns the subject's connection that has not ended, locked until the transaction ends. */
export async function lockCalendarSubject(
  tx: Tx,
  subjectBlind: Buffer,
): Promise<CalendarConnectionRow | null> {
  return firstOf(await lockBySubject(tx, { subjectBlind }));
}

/** Returns the connection that a flow created or renewed. */
export async function findCalendarOfFlow(
  on: Queryable,
  flowId: string,
): Promise<CalendarConnectionRow | null> {
  return firstOf(await byFlow(on, { flow_id: flowId }));
}

/**
 * Lists at most `lengthMax` connections whose workflow must be signaled, oldest first, except the
 * given ids.
 */
export async function listUnsignaledCalendars(
  on: Queryable,
  lengthMax: number,
  without: readonly string[],
): Promise<CalendarConnectionRow[]> {
  return untold(on, { lengthMax, without });
}

export async function markCalendarSignaled(
  on: Queryable,
  { connection_id, version }: CalendarConnectionRow,
): Promise<void> {
  await told(on, { connection_id, version });
}

/** Returns a page of an account's routing addresses, its own ones first, and the total count. */
export async function listRoutingAddresses(
  on: Queryable,
  accountId: number,
  hasShared: boolean,
  [limit, offset]: readonly [number, number],
) {
  const by = { accountId, hasShared };
  return withTotal(page(on, { ...by, limit, offset }), count(on, by));
}
