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
 * One connected calendar, from its consent to its end: the only place that refreshes its grant, one
 * step after the other, since a refresh token that is used twice is taken for stolen.
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
    // What was told and not acted on yet would be lost.
    const isIdle = !run.hasChanged && !run.isUnwanted;
    if (isFull && isIdle && !isOver(run)) {
      await continueAsNew<typeof calendarConnection>({ ...input, known: run.known });
    }
  }
  const outcome = [{ key: outcomeKey, value: 'disconnected' }];
  upsertSearchAttributes(outcome);
  return { status: 'disconnected' };
}

// It has no end, and would keep the build it began with for ever: each task goes to the current.
// Of a worker without versions the server takes no task that says so.
setWorkflowOptions(
  () =>
    workflowInfo().currentDeploymentVersion?.deploymentName
      ? { versioningBehavior: 'AUTO_UPGRADE' }
      : {},
  calendarConnection,
);

const isOver = ({ known }: Run): boolean => known.status === 'disconnected';

/** Waits for what comes next and does it. One that is lost waits for its person alone. */
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

/** A provider that stays away says nothing of the grant: it is asked again in its time. */
async function refresh(run: Run): Promise<void> {
  try {
    become(run, await refreshCalendar({ connection_id: run.input.connection_id }));
  } catch (error) {
    if (isCancellation(error)) throw error;
    run.steps += 1;
  }
}

/** It ends here whatever the provider says; there the grant may have to be taken back by hand. */
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
