import { startOfCalendarConnection, startOfCalendarFlow } from '../../../activities/calendar/start.ts';
import { randomIds } from '../../../db/ids.ts';
import {
  findCalendarOfFlow,
  type CalendarConnectionRow,
} from '../../../db/queries/calendar-connections.ts';
import { createSealer } from '../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../db/sealing/wrapper.ts';
import {
  changedSignal,
  disconnectSignal,
  type CalendarConnectionInput,
} from '../../../workflows/calendar-connection/messages.ts';
import { completeUpdate, type CompleteArgs } from '../../../workflows/calendar-oauth/messages.ts';
import { decide, newPerson, startPath, takeBackOf } from '../../support/people/calendar.ts';
import { eventually } from '../../support/platform/harness.ts';
import { pause, type Scenario, type Stage } from '../scenario.ts';

/** Ways to a calendar provider and back, and what becomes of connections. */
export const calendarScenarios: readonly Scenario[] = [
  flow('connected', (stage) => connect(stage), { status: 'connected', reason: null }),
  flow('refused', (stage) => connect(stage, 'unverified'), {
    status: 'denied',
    reason: 'address_unverified',
  }),
  flow('denied', (stage) => answered(stage, { answer: 'denied', reason: 'consent_denied' }), {
    status: 'denied',
    reason: 'consent_denied',
  }),
  flow('mismatched', (stage) => answered(stage, { answer: 'nonce_mismatch' }), {
    status: 'nonce_mismatch',
  }),
  flow('expired', unanswered, { status: 'expired' }),
  connection('disconnected', disconnected),
  connection('reconnected', reconnected),
  connection('continued', continued),
];

function flow(scenario: string, play: Scenario['play'], ends: Scenario['ends']): Scenario {
  return { type: 'calendarOAuth', scenario, play, ends };
}

function connection(scenario: string, play: Scenario['play']): Scenario {
  return { type: 'calendarConnection', scenario, play, ends: { status: 'disconnected' } };
}

/** The whole way by the API; gives the workflow of the flow. */
async function connect({ facts, db }: Stage, ...words: readonly string[]): Promise<string> {
  const headers = { authorization: `Bearer ${facts.own.api_key}` };
  const begun = await fetch(`${facts.baseUrl}${startPath({ intent: 'routing' })}`, { headers });
  const { authorize_url: url } = (await begun.json()) as { authorize_url: string };
  const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
  const { rows } = await db.query<{ flow_id: string; account_id: number }>(
    'SELECT flow_id, account_id FROM calendar_flows ORDER BY created_at DESC LIMIT 1',
  );
  const [row] = rows;
  if (!row) throw new Error('no flow');
  await fetch(`${facts.baseUrl}${await decide(url, newPerson(...words))}`, { headers: { cookie } });
  return startOfCalendarFlow(row).workflowId;
}

const newFlow = ({ facts }: Stage) => ({
  flow_id: randomIds.make('cf'),
  account_id: facts.own.account_id,
});

async function answered(stage: Stage, args: CompleteArgs): Promise<string> {
  const start = startOfCalendarFlow(newFlow(stage));
  const handle = await stage.client.workflow.start('calendarOAuth', start);
  await handle.executeUpdate(completeUpdate, { args: [args] });
  return start.workflowId;
}

async function unanswered(stage: Stage): Promise<string> {
  const start = startOfCalendarFlow(newFlow(stage), 1500);
  await stage.client.workflow.start('calendarOAuth', start);
  return start.workflowId;
}

/** A connection whose workflow is followed under another id, with inputs of its own. */
async function follow(
  stage: Stage,
  input: Pick<CalendarConnectionInput, 'refreshMs' | 'stepsMax'>,
): Promise<{ id: string; row: CalendarConnectionRow }> {
  const flowId = (await connect(stage)).replace('cal-oauth/', '');
  const row = await findCalendarOfFlow(stage.db, flowId);
  if (!row) throw new Error('no connection');
  // The platform follows it too, and refreshes nothing for a day.
  const id = `recorded/${row.connection_id}`;
  await stage.client.workflow.start('calendarConnection', {
    ...startOfCalendarConnection(row, input),
    workflowId: id,
  });
  return { id, row };
}

const stateOf = async ({ db }: Stage, { flow_id }: CalendarConnectionRow) =>
  findCalendarOfFlow(db, flow_id);

async function disconnected(stage: Stage): Promise<string> {
  const { id } = await follow(stage, { refreshMs: 60_000, stepsMax: 100 });
  await stage.client.workflow.getHandle(id).signal(changedSignal);
  await pause(500);
  await stage.client.workflow.getHandle(id).signal(disconnectSignal);
  return id;
}

/** Refreshed, then taken back by its person, who consents again. */
async function reconnected(stage: Stage): Promise<string> {
  const { id, row } = await follow(stage, { refreshMs: 1_000, stepsMax: 100 });
  const handle = stage.client.workflow.getHandle(id);
  await eventually('a refresh', async () => (await stateOf(stage, row))?.refreshed_at);
  const sealer = createSealer(
    stage.db,
    masterWrapper(stage.keys.secret('data-keys')),
    stage.keys.secret('blind-index'),
  );
  await eventually('the loss', async () => {
    const now = await stateOf(stage, row);
    if (now?.status === 'connected') await takeBackOf(stage.calendarUrl, sealer, now);
    return now?.status === 'reconnect_required';
  });
  await handle.signal(changedSignal);
  await pause(500);
  await handle.signal(disconnectSignal);
  return id;
}

/** The history that is kept is of the run that goes on from the first. */
async function continued(stage: Stage): Promise<string> {
  const { id } = await follow(stage, { refreshMs: 600, stepsMax: 3 });
  await pause(3_500);
  await stage.client.workflow.getHandle(id).signal(disconnectSignal);
  return id;
}
