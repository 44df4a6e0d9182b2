import { lockedTransaction, type Db, type Tx } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import {
  calendarContext,
  calendarOwner,
  findCalendarConnection,
  lockCalendarConnection,
  writeCalendarConnection,
  type CalendarConnectionRow,
} from '../../db/queries/calendar-connections.ts';
import { calendarEvent } from '../../db/queries/calendar-event.ts';
import { appendEvents } from '../../db/queries/events.ts';
import type { Sealer } from '../../db/sealing/sealed.ts';
import type { CalendarConnectionSnapshot } from '../../workflows/calendar-connection/messages.ts';
import {
  nextCalendarConnectionState,
  type CalendarConnectionMove,
} from '../../workflows/calendar-connection/state.ts';
import { Failure } from '../../workflows/failures.ts';
import { auditCalendar } from './audit-calendar.ts';
import { exchangeCode, type Exchanged } from './connect.ts';
import type { CalendarProvider } from './port.ts';

export interface CalendarActivities {
  /** Exchanges the code of a flow for a connection. Returns the reason if there is none. */
  exchangeCalendarCode(input: { flow_id: string }): Promise<Exchanged>;
  /** Returns the state of a connection from the database. */
  lookAtCalendar(input: { connection_id: string }): Promise<CalendarConnectionSnapshot>;
  /** Refreshes a connection's grant and stores the new token. A refused grant is marked as lost. */
  refreshCalendar(input: { connection_id: string }): Promise<CalendarConnectionSnapshot>;
  /** Revokes the grant of a connection at the provider. */
  revokeCalendar(input: { connection_id: string }): Promise<void>;
  /** Marks a connection as disconnected and deletes its token. */
  endCalendar(input: { connection_id: string }): Promise<CalendarConnectionSnapshot>;
}

export interface CalendarDeps {
  readonly db: Db;
  readonly ids: Ids;
  readonly sealer: Sealer;
  readonly clock: () => Date;
  /** Null if no provider is configured. */
  readonly provider: CalendarProvider | null;
}

/**
 * Returns the activities of calendar flows and connections. Each can be repeated without a second
 * effect.
 */
export function createCalendarActivities(deps: CalendarDeps): CalendarActivities {
  return {
    exchangeCalendarCode: (input) => exchangeCode(deps, input.flow_id),
    lookAtCalendar: async (input) =>
      snapshotOf(await findConnectionOrThrow(deps, input.connection_id)),
    refreshCalendar: (input) => refresh(deps, input.connection_id),
    revokeCalendar: (input) => revoke(deps, input.connection_id),
    endCalendar: (input) => change(deps, input.connection_id, () => ({ on: 'disconnect' })),
  };
}

const snapshotOf = ({ status, version }: CalendarConnectionRow): CalendarConnectionSnapshot => ({
  status,
  version,
});

async function findConnectionOrThrow(
  { db }: CalendarDeps,
  connectionId: string,
): Promise<CalendarConnectionRow> {
  const row = await findCalendarConnection(db, connectionId);
  if (!row) throw new Error('the calendar connection does not exist');
  return row;
}

async function refresh(
  deps: CalendarDeps,
  connectionId: string,
): Promise<CalendarConnectionSnapshot> {
  if (!deps.provider) throw new Failure('platform_not_configured');
  const row = await findConnectionOrThrow(deps, connectionId);
  const token = row.status === 'connected' ? await openToken(deps, row) : null;
  if (token === null) return snapshotOf(row);
  const next = await deps.provider.refresh(token);
  const owner = calendarOwner(row.account_id);
  const context = calendarContext(connectionId, 'refresh_token');
  const sealed = next === null ? null : await deps.sealer.seal(owner, context, next);
  return change(deps, connectionId, (locked) => {
    // A consent given meanwhile brought another token, so this result does not apply to it.
    if (!isSame(locked.refresh_token_sealed, row.refresh_token_sealed)) return null;
    if (sealed === null) return { on: 'lose' };
    return { refresh_token_sealed: sealed, refreshed_at: deps.clock() };
  });
}

async function revoke(deps: CalendarDeps, connectionId: string): Promise<void> {
  if (!deps.provider) throw new Failure('platform_not_configured');
  const token = await openToken(deps, await findConnectionOrThrow(deps, connectionId));
  if (token !== null) await deps.provider.revoke(token);
}

async function openToken(
  { sealer }: CalendarDeps,
  { connection_id, account_id, refresh_token_sealed: sealed }: CalendarConnectionRow,
): Promise<string | null> {
  if (sealed === null) return null;
  const context = calendarContext(connection_id, 'refresh_token');
  return (await sealer.open(calendarOwner(account_id), context, sealed)).toString();
}

const isSame = (one: Buffer | null, other: Buffer | null): boolean =>
  one !== null && other !== null && one.equals(other);

type Change =
  | { readonly on: CalendarConnectionMove }
  | Pick<CalendarConnectionRow, 'refresh_token_sealed' | 'refreshed_at'>;

/** Only an operator can send the disconnect signal to a workflow. */
const ended = { action: 'calendar.disconnected', actor: 'operator' } as const;

/**
 * Changes a connection under its row lock, and appends the event of its move. Null from `choose`
 * changes nothing.
 */
async function change(
  { db, ids, clock }: CalendarDeps,
  connectionId: string,
  choose: (locked: CalendarConnectionRow) => Change | null,
): Promise<CalendarConnectionSnapshot> {
  const lock = (tx: Tx) => lockCalendarConnection(tx, connectionId);
  return lockedTransaction(db, lock, async (tx, before) => {
    if (!before) throw new Error('the calendar connection does not exist');
    const now = clock();
    const chosen = choose(before);
    const after = chosen && applied(before, chosen, now);
    if (!after) return snapshotOf(before);
    const written = await writeCalendarConnection(tx, after);
    if (written.status === 'disconnected') await auditCalendar(tx, written, ended, now);
    const events = written.status === before.status ? [] : calendarEvent(written, before.status);
    await appendEvents(tx, { ids, now }, events);
    return snapshotOf(written);
  });
}

/** Returns the changed row, or null if the move is illegal in this state. */
function applied(
  row: CalendarConnectionRow,
  change: Change,
  now: Date,
): CalendarConnectionRow | null {
  if (!('on' in change)) return { ...row, ...change };
  const status = nextCalendarConnectionState(row.status, change.on);
  if (!status) return null;
  // A grant that has ended needs no token.
  const left = { ...row, status, refresh_token_sealed: null };
  return status === 'disconnected' ? { ...left, disconnected_at: now } : left;
}
