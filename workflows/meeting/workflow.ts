import {
  allHandlersFinished,
  condition,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { proxyConference, proxyMeeting } from '../proxies.ts';
import { refuse } from '../refuse.ts';
import { outcomeKey } from '../search-attributes.ts';
import * as messages from './messages.ts';
import { isMeetingOver } from './state.ts';

const { openConference } = proxyConference();
const { recordMeeting, takePlatformEvent } = proxyMeeting();

export interface MeetingOutcome {
  readonly status: string;
}

/**
 * Follows one meeting from its first start to its end. The database holds the state: each message
 * is one transaction that returns the new state, so a repeated or late message changes nothing.
 */
export async function meeting(input: messages.MeetingInput): Promise<MeetingOutcome> {
  const run = createRun(input);
  handle(run);
  describe(run);
  while (!run.isOver()) {
    const isTaken = (): boolean =>
      run.messages >= input.messages_max || workflowInfo().continueAsNewSuggested;
    await untilDue(run, isTaken);
    await condition(allHandlersFinished);
    if (!run.isOver() && isTaken()) {
      await continueAsNew<typeof meeting>({ ...input, known: run.known() });
    }
  }
  await condition(allHandlersFinished);
  const { status } = run.known().snapshot;
  const outcome = [{ key: outcomeKey, value: status }];
  upsertSearchAttributes(outcome);
  return { status };
}

interface Run {
  readonly input: messages.MeetingInput;
  readonly known: () => messages.MeetingKnown;
  readonly isOver: () => boolean;
  /** Takes over the state from the database. */
  readonly become: (snapshot: messages.MeetingSnapshot) => messages.MeetingSnapshot;
  readonly settle: (place: { readonly is_live: boolean }) => void;
  /** Runs messages one at a time, so that each is judged by the state the previous one left. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  messages: number;
}

function createRun(input: messages.MeetingInput): Run {
  const { meeting_key } = input;
  let known: messages.MeetingKnown = input.known ?? {
    snapshot: { meeting_key, version: 0, status: 'scheduled', present: 0 },
    live_since_ms: null,
    empty_since_ms: null,
    place: null,
  };
  let busy: Promise<unknown> = Promise.resolve();
  const run: Run = {
    input,
    messages: 0,
    known: () => known,
    isOver: () => isMeetingOver(known.snapshot.status),
    become(snapshot) {
      const isLive = snapshot.status === 'live';
      const isEmpty = isLive && snapshot.present === 0;
      known = {
        ...known,
        snapshot,
        live_since_ms: isLive ? (known.live_since_ms ?? Date.now()) : null,
        empty_since_ms: isEmpty ? (known.empty_since_ms ?? Date.now()) : null,
      };
      describe(run);
      return snapshot;
    },
    settle(place) {
      known = { ...known, place };
    },
    inTurn(work) {
      run.messages += 1;
      const turn = busy.then(work);
      busy = turn.catch(() => undefined);
      return turn;
    },
  };
  return run;
}

function handle(run: Run): void {
  const assertNotCanceled = (): void => {
    if (run.isOver()) refuse('invalid_state', `the meeting is ${run.known().snapshot.status}`);
  };
  setHandler(messages.startUpdate, (args) => run.inTurn(() => start(run, args)), {
    description: 'Somebody comes; a host begins the meeting. Sent with its start.',
    validator: (_args) => assertNotCanceled(),
  });
  setHandler(
    messages.verifyParticipantUpdate,
    (args) => run.inTurn(() => record(run, { kind: 'verify', ...args })),
    {
      description: 'A trust check says who a participant is.',
      validator: (_args) => assertNotCanceled(),
    },
  );
  setHandler(
    messages.endUpdate,
    ({ reason }) => run.inTurn(() => record(run, { kind: 'end', reason })),
    {
      description: 'Ends the meeting. An operator sends {"reason": "host_ended"}.',
      validator: (_args) => {
        if (run.known().snapshot.status !== 'live') refuse('invalid_state', 'nothing is live');
      },
    },
  );
  setHandler(
    messages.platformEventSignal,
    async ({ event_id }) => {
      const { meeting_key } = run.input;
      await run.inTurn(async () => run.become(await takePlatformEvent({ meeting_key, event_id })));
    },
    { description: 'The platform has told something; it lies in the inbox.' },
  );
}

async function record(run: Run, step: messages.MeetingStep): Promise<messages.MeetingSnapshot> {
  return run.become(await recordMeeting({ meeting_key: run.input.meeting_key, step }));
}

/** Starts the meeting for a host. For others, only makes sure that the conference is open. */
async function start(
  run: Run,
  { role }: messages.StartMeetingArgs,
): Promise<messages.MeetingSnapshot> {
  const begins = role === 'host' && run.known().snapshot.status === 'scheduled';
  if (begins) await record(run, { kind: 'start' });
  // The database may be ahead of this run since the update was accepted.
  if (run.isOver()) refuse('invalid_state', `the meeting is ${run.known().snapshot.status}`);
  try {
    const { is_live } = run.known().place ?? (await open(run));
    if (begins && is_live) await record(run, { kind: 'go_live' });
  } catch (error) {
    if (isCancellation(error)) throw error;
    if (begins) await record(run, { kind: 'fail_start' });
    refuse('dependency_unavailable', 'the platform did not open the meeting');
  }
  return run.known().snapshot;
}

/** Opens the conference once. Everyone who comes later gets the same one. */
async function open(run: Run): Promise<{ readonly is_live: boolean }> {
  const { is_live, snapshot } = await openConference({ meeting_key: run.input.meeting_key });
  run.settle({ is_live });
  run.become(snapshot);
  return { is_live };
}

interface Due {
  readonly atMs: number;
  readonly step: messages.MeetingStep;
}

function dueOf({ input, known }: Run): Due {
  const { snapshot, live_since_ms: liveMs, empty_since_ms: emptyMs } = known();
  const { missedMs, emptyMs: emptyMaxMs, hardMs } = input.timers;
  if (snapshot.status !== 'live') {
    return { atMs: Date.parse(input.expected_at) + missedMs, step: { kind: 'miss' } };
  }
  const hard: Due = {
    atMs: (liveMs ?? Date.now()) + hardMs,
    step: { kind: 'end', reason: 'deadline' },
  };
  if (emptyMs === null || emptyMs + emptyMaxMs >= hard.atMs) return hard;
  return { atMs: emptyMs + emptyMaxMs, step: { kind: 'end', reason: 'empty' } };
}

/**
 * Waits until the meeting is over, a deadline has come and was handled, or the run is full. A new
 * timer starts only when the old one has fired or a deadline has moved closer.
 */
async function untilDue(run: Run, isTaken: () => boolean): Promise<void> {
  const { atMs } = dueOf(run);
  const isNearer = (): boolean => dueOf(run).atMs < atMs;
  const waitMs = Math.max(1, atMs - Date.now());
  const summary = 'until nobody comes, it stands empty, or it lasts too long';
  const wakes = (): boolean => run.isOver() || isNearer() || isTaken();
  if (await condition(wakes, waitMs, { summary })) return;
  await run.inTurn(async () => {
    const due = dueOf(run);
    if (!run.isOver() && due.atMs <= Date.now()) await record(run, due.step);
  });
}

function describe(run: Run): void {
  const { status, present, version } = run.known().snapshot;
  setCurrentDetails(`**${status}**, ${present} in it, step ${version}`);
}
