import {
  condition,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setHandler,
  setWorkflowOptions,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { proxyCalendarConnection, proxyCalendarRecord } from '../proxies.ts';
import { outcomeKey } from '../search-attributes.ts';
import {
  changedSignal,
  disconnectSignal,
  type CalendarConnectionInput,
  type CalendarConnectionSnapshot,
} from './messages.ts';

const { refreshCalendar, revokeCalendar } = proxyCalendarConnection();
const { lookAtCalendar, endCalendar } = proxyCalendarRecord();

interface Run {
  readonly input: CalendarConnectionInput;
  known: CalendarConnectionSnapshot;
  hasChanged: boolean;
  isUnwanted: boolean;
  steps: number;
}

/**
 * Follows one connected calendar from consent to disconnection. No other code refreshes its grant,
 * and refreshes run one at a time: a provider treats a refresh token that is used twice as stolen.
 */
export async function calendarConnection(
  input: CalendarConnectionInput,
): Promise<{ readonly status: string }> {
  const run: Run = {
    input,
    known: input.known ?? { status: 'connected', version: 0 },
    hasChanged: false,
    isUnwanted: false,
    steps: 0,
  };
  setHandler(changedSignal, () => void (run.hasChanged = true), {
    description: 'The record has changed; it is looked at again.',
  });
  setHandler(disconnectSignal, () => void (run.isUnwanted = true), {
    description: 'Ends the connection: the grant is given back, and the token forgotten.',
  });
  if (!input.known) await look(run);
  while (!isOver(run)) {
    await next(run);
    const isFull = run.steps >= input.stepsMax || workflowInfo().continueAsNewSuggested;
    // A new run would lose signals that are not handled yet.
    const isIdle = !run.hasChanged && !run.isUnwanted;
    if (isFull && isIdle && !isOver(run)) {
      await continueAsNew<typeof calendarConnection>({ ...input, known: run.known });
    }
  }
  const outcome = [{ key: outcomeKey, value: 'disconnected' }];
  upsertSearchAttributes(outcome);
  return { status: 'disconnected' };
}

// This workflow can run forever. AUTO_UPGRADE moves each task to the current build. The server
// rejects this option from a worker without versions.
setWorkflowOptions(
  () =>
    workflowInfo().currentDeploymentVersion?.deploymentName
      ? { versioningBehavior: 'AUTO_UPGRADE' }
      : {},
  calendarConnection,
);

const isOver = ({ known }: Run): boolean => known.status === 'disconnected';

/**
 * Waits for the next event and handles it. A connection that lost its grant has no timer: it waits
 * for a signal.
 */
async function next(run: Run): Promise<void> {
  const hasSignal = (): boolean => run.hasChanged || run.isUnwanted;
  if (run.known.status === 'connected') {
    const summary = 'until the grant is refreshed';
    const isDue = !(await condition(hasSignal, run.input.refreshMs, { summary }));
    if (isDue) await refresh(run);
  } else await condition(hasSignal);
  if (run.isUnwanted) await disconnect(run);
  else if (run.hasChanged) await look(run);
}

async function look(run: Run): Promise<void> {
  run.hasChanged = false;
  become(run, await lookAtCalendar({ connection_id: run.input.connection_id }));
}

/**
 * Refreshes the grant. An unavailable provider changes nothing: the next refresh comes at its usual
 * time.
 */
async function refresh(run: Run): Promise<void> {
  try {
    become(run, await refreshCalendar({ connection_id: run.input.connection_id }));
  } catch (error) {
    if (isCancellation(error)) throw error;
    run.steps += 1;
  }
}

/**
 * Ends the connection even if the provider does not answer; then the user may have to revoke the
 * grant there.
 */
async function disconnect(run: Run): Promise<void> {
  run.isUnwanted = false;
  const { connection_id } = run.input;
  try {
    await revokeCalendar({ connection_id });
  } catch (error) {
    if (isCancellation(error)) throw error;
  }
  become(run, await endCalendar({ connection_id }));
}

function become(run: Run, known: CalendarConnectionSnapshot): void {
  run.steps += 1;
  run.known = known;
  setCurrentDetails(`**${known.status}**, step ${known.version}`);
}
