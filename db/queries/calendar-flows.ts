import { firstOf, statement, type Queryable } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { calendarAnswers, calendarFlows } from '../schema/calendar.ts';
import { getTableColumns } from '../schema/drizzle.ts';

export type CalendarFlowRow = typeof calendarFlows.$inferSelect;
export type CalendarAnswerRow = typeof calendarAnswers.$inferSelect;

const { state_hash } = calendarFlows;
const { flow_id } = calendarAnswers;

/** Past its end a flow is kept a while, so that who comes late is told so where they came from. */
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

/** Keeps a flow, and sweeps out a few that nobody has come back from. */
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

/** Removes flows that ended a day ago, at most so many; says how many. */
export async function removeEndedCalendarFlows(
  on: Queryable,
  now: Date,
  lengthMax: number,
): Promise<number> {
  return (await removeFlows(on, { now, lengthMax })).length;
}

/** Removes codes that nobody has exchanged in a day, at most so many; says how many. */
export async function removeOldCalendarAnswers(
  on: Queryable,
  now: Date,
  lengthMax: number,
): Promise<number> {
  return (await removeAnswers(on, { now, lengthMax })).length;
}

/** Takes the flow of a `state`: exactly one of all callers gets it, ended or not. */
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

/** Forgets a code: it was exchanged, or never can be. */
export async function removeCalendarAnswer(on: Queryable, flowId: string): Promise<void> {
  await removeAnswer(on, { flow_id: flowId });
}
