import { firstOf, statement, type Queryable } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { calendarAnswers, calendarFlows } from '../schema/calendar.ts';
import { getTableColumns } from '../schema/drizzle.ts';

export type CalendarFlowRow = typeof calendarFlows.$inferSelect;
export type CalendarAnswerRow = typeof calendarAnswers.$inferSelect;

const { state_hash } = calendarFlows;
const { flow_id } = calendarAnswers;

/**
 * Keeps a flow for a while after it expired. A user who returns late can then be redirected back
 * with an error.
 */
const keptFor = "interval '1 day'";
const sweptMax = '20';

const oldFlows = (now: string, lengthMax: string): string =>
  `DELETE FROM calendar_flows WHERE state_hash IN (
       SELECT state_hash FROM calendar_flows WHERE expires_at < ${now}::timestamptz - ${keptFor}
       ORDER BY expires_at LIMIT ${lengthMax} FOR UPDATE SKIP LOCKED)`;
const oldAnswers = (now: string, lengthMax: string): string =>
  `DELETE FROM calendar_answers WHERE flow_id IN (
       SELECT flow_id FROM calendar_answers WHERE created_at < ${now}::timestamptz - ${keptFor}
       ORDER BY created_at LIMIT ${lengthMax} FOR UPDATE SKIP LOCKED)`;

const insertFlow = statement(
  'calendar_flows.insert',
  `WITH swept AS (
     ${oldFlows(':created_at', sweptMax)}
   ), swept_answers AS (
     ${oldAnswers(':created_at', sweptMax)}
   )
   INSERT INTO calendar_flows (state_hash, flow_id, browser_hash, started_by, account_id, intent,
     secrets_sealed, return_to, created_at, expires_at)
   VALUES (:state_hash, :flow_id, :browser_hash, :started_by::jsonb, :account_id,
     :intent::calendar_intent, :secrets_sealed, :return_to, :created_at, :expires_at)`,
);
const removeFlows = statement(
  'calendar_flows.remove_ended',
  `${oldFlows(':now', ':lengthMax')} RETURNING flow_id`,
);
const removeAnswers = statement(
  'calendar_answers.remove_old',
  `${oldAnswers(':now', ':lengthMax')} RETURNING flow_id`,
);
const take = prepare('calendar_flows.take', { state_hash }, ({ equals }) =>
  build.delete(calendarFlows).where(equals.state_hash).returning(),
);
const insertAnswer = prepare(
  'calendar_answers.insert',
  getTableColumns(calendarAnswers),
  ({ by }) => build.insert(calendarAnswers).values(by),
);
const findAnswer = prepare('calendar_answers.find', { flow_id }, ({ equals }) =>
  build.select().from(calendarAnswers).where(equals.flow_id),
);
const removeAnswer = prepare('calendar_answers.remove', { flow_id }, ({ equals }) =>
  build.delete(calendarAnswers).where(equals.flow_id),
);

/** Stores a flow, and deletes a few abandoned ones. */
export async function addCalendarFlow(on: Queryable, row: CalendarFlowRow): Promise<void> {
  await insertFlow(on, {
    state_hash: row.state_hash,
    flow_id: row.flow_id,
    browser_hash: row.browser_hash,
    started_by: JSON.stringify(row.started_by),
    account_id: row.account_id,
    intent: row.intent,
    secrets_sealed: row.secrets_sealed,
    return_to: row.return_to,
    created_at: row.created_at,
    expires_at: row.expires_at,
  });
}

/** Deletes at most `lengthMax` flows that ended a day ago. Returns how many. */
export async function removeEndedCalendarFlows(
  on: Queryable,
  now: Date,
  lengthMax: number,
): Promise<number> {
  return (await removeFlows(on, { now, lengthMax })).length;
}

/** Deletes at most `lengthMax` codes that were not exchanged within a day. Returns how many. */
export async function removeOldCalendarAnswers(
  on: Queryable,
  now: Date,
  lengthMax: number,
): Promise<number> {
  return (await removeAnswers(on, { now, lengthMax })).length;
}

/**
 * Consumes the flow of a `state`, expired or not. Only one of several concurrent callers gets it.
 */
export async function takeCalendarFlow(
  on: Queryable,
  stateHash: Buffer,
): Promise<CalendarFlowRow | null> {
  return firstOf(await take(on, { state_hash: stateHash }));
}

export async function addCalendarAnswer(on: Queryable, row: CalendarAnswerRow): Promise<void> {
  await insertAnswer(on, row);
}

export async function findCalendarAnswer(
  on: Queryable,
  flowId: string,
): Promise<CalendarAnswerRow | null> {
  return firstOf(await findAnswer(on, { flow_id: flowId }));
}

/** Deletes a code that was exchanged or can no longer be exchanged. */
export async function removeCalendarAnswer(on: Queryable, flowId: string): Promise<void> {
  await removeAnswer(on, { flow_id: flowId });
}
