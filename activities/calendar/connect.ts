import { transaction, type Tx } from '../../db/client.ts';
import { derivedId } from '../../db/ids.ts';
import {
  calendarContext,
  calendarOwner,
  findCalendarOfFlow,
  insertCalendarConnection,
  lockCalendarSubject,
  renewCalendarConnection,
  type CalendarConnectionRow,
} from '../../db/queries/calendar-connections.ts';
import { calendarEvent } from '../../db/queries/calendar-event.ts';
import {
  findCalendarAnswer,
  removeCalendarAnswer,
  type CalendarAnswerRow,
} from '../../db/queries/calendar-flows.ts';
import { appendEvents } from '../../db/queries/events.ts';
import type { CalendarDenial } from '../../workflows/calendar-oauth/state.ts';
import { Failure } from '../../workflows/failures.ts';
import type { CalendarDeps } from './activities.ts';
import { auditCalendar } from './audit-calendar.ts';
import { openAnswer } from './flow.ts';
import type { CalendarGrant } from './port.ts';

/** Result of an exchange: connected, or the reason why not. */
export interface Exchanged {
  readonly denial: CalendarDenial | null;
}

const connected: Exchanged = { denial: null };

/**
 * Exchanges the code of a flow and connects its calendar. One transaction stores the connection and
 * deletes the code. A repeated call finds the earlier result.
 */
export async function exchangeCode(deps: CalendarDeps, flowId: string): Promise<Exchanged> {
  if (!deps.provider) throw new Failure('platform_not_configured');
  const answer = await findCalendarAnswer(deps.db, flowId);
  if (!answer) {
    const isDone = (await findCalendarOfFlow(deps.db, flowId)) !== null;
    return isDone ? connected : { denial: 'grant_refused' };
  }
  const grant = await deps.provider.exchange(await openAnswer(deps.sealer, answer));
  if ('denial' in grant) {
    await removeCalendarAnswer(deps.db, flowId);
    return grant;
  }
  return keep(deps, answer, grant, deps.provider.issuer);
}

async function keep(
  deps: CalendarDeps,
  answer: CalendarAnswerRow,
  grant: CalendarGrant,
  issuer: string,
): Promise<Exchanged> {
  // Prepares the data key first, so that the transaction does not wait for it.
  await deps.sealer.prepare(calendarOwner(answer.account_id));
  const named = JSON.stringify([answer.intent, issuer, grant.subject]);
  const subjectBlind = deps.sealer.blind('calendar-subject', named);
  return transaction(deps.db, async (tx) => {
    const known = await lockCalendarSubject(tx, subjectBlind);
    const made = known ? null : await insert(deps, tx, answer, grant, subjectBlind);
    // The insert waited for a concurrent transaction, which has committed by now.
    const other = made ? null : (known ?? (await lockCalendarSubject(tx, subjectBlind)));
    const denial = other ? await renew(deps, tx, answer, grant, other) : madeOf(made);
    await removeCalendarAnswer(tx, answer.flow_id);
    if (made) await publish(deps, tx, made, answer.created_by);
    return { denial };
  });
}

const madeOf = (made: CalendarConnectionRow | null): CalendarDenial | null =>
  made ? null : 'refresh_token_missing';

async function insert(
  { sealer, clock }: CalendarDeps,
  tx: Tx,
  answer: CalendarAnswerRow,
  { address, refreshToken }: CalendarGrant,
  subject_blind: Buffer,
): Promise<CalendarConnectionRow | null> {
  if (refreshToken === null) return null;
  const connection_id = derivedId('cc', answer.flow_id);
  const owner = calendarOwner(answer.account_id);
  const context = (column: 'address' | 'refresh_token') => calendarContext(connection_id, column);
  return insertCalendarConnection(tx, {
    connection_id,
    account_id: answer.account_id,
    intent: answer.intent,
    poly_user_id: answer.poly_user_id,
    created_by: answer.created_by,
    subject_blind,
    address_sealed: await sealer.seal(owner, context('address'), address),
    refresh_token_sealed: await sealer.seal(owner, context('refresh_token'), refreshToken),
    flow_id: answer.flow_id,
    created_at: clock(),
  });
}

/**
 * Renews a connection after a repeated consent. Rejects another account or another person. A
 * rejected consent keeps its grant at the provider: some providers end all grants of a person with
 * one revocation, the grant of the existing connection included.
 */
async function renew(
  deps: CalendarDeps,
  tx: Tx,
  answer: CalendarAnswerRow,
  { address, refreshToken }: CalendarGrant,
  before: CalendarConnectionRow,
): Promise<CalendarDenial | null> {
  const isOwn =
    before.account_id === answer.account_id &&
    (answer.intent === 'routing' || before.poly_user_id === answer.poly_user_id);
  if (!isOwn) return 'connected_elsewhere';
  // A lost connection needs a new token. A connected one can keep its current token.
  if (refreshToken === null && before.status !== 'connected') return 'refresh_token_missing';
  const { connection_id, account_id } = before;
  const owner = calendarOwner(account_id);
  const seal = (column: 'address' | 'refresh_token', plain: string) =>
    deps.sealer.seal(owner, calendarContext(connection_id, column), plain);
  const after = await renewCalendarConnection(tx, {
    ...before,
    address_sealed: await seal('address', address),
    refresh_token_sealed:
      refreshToken === null
        ? before.refresh_token_sealed
        : await seal('refresh_token', refreshToken),
    flow_id: answer.flow_id,
    connected_at: deps.clock(),
  });
  await publish(deps, tx, after, answer.created_by, before.status);
  return null;
}

/** Appends to the audit log for each consent. Appends an event only if the status changed. */
async function publish(
  { ids, clock }: CalendarDeps,
  tx: Tx,
  row: CalendarConnectionRow,
  actor: string,
  previousStatus?: string,
): Promise<void> {
  const now = clock();
  await auditCalendar(tx, row, { action: 'calendar.connected', actor }, now);
  if (row.status === previousStatus) return;
  await appendEvents(tx, { ids, now }, calendarEvent(row, previousStatus));
}
