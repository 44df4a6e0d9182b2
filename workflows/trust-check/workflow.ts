import {
  allHandlersFinished,
  condition,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { refuse } from '../refuse.ts';
import { failureCodeKey, outcomeKey } from '../search-attributes.ts';
import * as deadlines from './deadlines.ts';
import { describe, describeTimer } from './describe.ts';
import * as messages from './messages.ts';
import { createRun, type Run } from './run.ts';
import * as rules from './session.ts';
import { isTrustCheckFinal } from './state.ts';
import * as steps from './steps.ts';

/** What the workflow ends with: the outcome as the Temporal UI shows it. */
export interface TrustCheckOutcome {
  readonly status: string;
  readonly reason_code: string | null;
}

/**
 * One trust check, from its link to its decision. Callers change it by updates only; one timer
 * watches over its deadlines; every step is in its log, from which events are made.
 */
export async function trustCheck(input: messages.TrustCheckInput): Promise<TrustCheckOutcome> {
  const run = createRun(input);
  setHandler(messages.snapshotQuery, () => run.session().snapshot, {
    description: 'The whole session: states, proofs, steps. No personal data.',
  });
  handleMoves(run);
  handleProofs(run);
  setCurrentDetails(describe(run.session()));
  // A step that ends the check may find that on record it has not ended: then it goes on.
  do {
    await untilFinal(run);
    await condition(allHandlersFinished);
  } while (!isTrustCheckFinal(run.session().snapshot.status));
  const { status, reason_code } = run.session().snapshot;
  upsertSearchAttributes([
    { key: outcomeKey, value: status },
    ...(reason_code ? [{ key: failureCodeKey, value: reason_code }] : []),
  ]);
  return { status, reason_code };
}

/** Updates that only move the session. */
function handleMoves(run: Run): void {
  const open = (): messages.TrustCheckSnapshot => {
    const session = run.session();
    if (!rules.mayMove(session, 'open')) return session.snapshot;
    return run.become(rules.move(session, 'open', Date.now()));
  };
  const begin = ({ opened }: { opened: boolean }) => (opened ? open() : run.session().snapshot);
  setHandler(messages.beginUpdate, (args) => run.whenFree(() => begin(args)), {
    description: 'Begins the session; sent with its start.',
  });
  setHandler(messages.catchUpUpdate, (_args) => run.inTurn(() => steps.catchUp(run)), {
    description: 'Goes on from what is on record, where the check was left behind it.',
  });
  setHandler(messages.openUpdate, (_args) => run.whenFree(open), {
    description: 'The page has loaded.',
  });
  setHandler(messages.advanceUpdate, (args) => run.inTurn(() => steps.advance(run, args)), {
    description: 'Brings the deadlines of a test check nearer, by seconds.',
    validator: (_args) => {
      const { status } = run.session().snapshot;
      if (isTrustCheckFinal(status)) refuse('invalid_state', `the check is ${status}`);
    },
  });
  const mustPair = ({ device_id }: messages.PairArgs): void => {
    const { device_id: known } = run.session().snapshot;
    if (known && known !== device_id) refuse('already_paired');
    run.must('pair');
  };
  const pair = (args: messages.PairArgs): messages.TrustCheckSnapshot => {
    // What was legal when it came may not be any more when its turn has come.
    mustPair(args);
    return run.become(rules.pairDevice(run.session(), args, Date.now()));
  };
  setHandler(messages.pairUpdate, (args) => run.whenFree(() => pair(args)), {
    description: 'A phone joins, or the web client where no proof needs a phone.',
    validator: mustPair,
  });
  setHandler(messages.consentUpdate, (args) => run.inTurn(() => steps.consent(run, args)), {
    description: 'The person agrees or refuses.',
    validator: (_args) => run.must('consent'),
  });
  setHandler(
    messages.cancelUpdate,
    (args) => run.inTurn(() => steps.close(run, endOf(args), args)),
    {
      description:
        'Ends the check before a decision. An operator sends {"reason": "requester_canceled"}.',
      validator: (args) => run.must(endOf(args)),
    },
  );
}

/** A device that is found bad fails its check; every other end by hand cancels it. */
const endOf = ({ reason }: messages.CancelArgs): 'fail' | 'cancel' =>
  reason === 'attestation_failed' ? 'fail' : 'cancel';

/** Updates that hand in, try again and review. */
function handleProofs(run: Run): void {
  setHandler(messages.submitProofUpdate, (args) => run.inTurn(() => steps.attempt(run, args)), {
    description: 'A proof is handed in and judged; what was handed in is named by its id only.',
    validator: ({ proof }) => {
      const session = run.session();
      const known = rules.proofOf(session, proof);
      if (!known) refuse('proof_not_expected');
      if (rules.mayAttempt(session, proof)) return;
      if (session.snapshot.status === 'paired') refuse('consent_required');
      const { status } = session.snapshot;
      refuse('invalid_state', `the check is ${status}, the proof ${known.status}`);
    },
  });
  const retry = (): messages.TrustCheckSnapshot => {
    run.must('retry');
    return run.become(rules.reopenProofs(run.session(), Date.now()));
  };
  setHandler(messages.retryUpdate, (_args) => run.whenFree(retry), {
    description: 'Opens every proof that did not pass for another try.',
    validator: (_args) => run.must('retry'),
  });
  setHandler(messages.reviewUpdate, (args) => run.inTurn(() => steps.review(run, args)), {
    description: 'A reviewer decides; sent by the API, which knows who may.',
    validator: ({ decision }) => {
      if (run.session().snapshot.status !== 'in_review') {
        refuse('invalid_state', 'nothing is in review');
      }
      if (decision === 'retry' && !rules.mayRetry(run.session())) {
        refuse('invalid_state', 'every proof has passed: there is none to try again');
      }
    },
  });
}

/**
 * Waits for a final state. The first timer is the shortest of the deadlines and a later one is
 * started only when it has run out, or when somebody's coming has brought the deadline nearer: a
 * check that is done in time costs one timer, not one a step. While it is decided none is started.
 */
async function untilFinal(run: Run): Promise<void> {
  const isDone = (): boolean => isTrustCheckFinal(run.session().snapshot.status);
  const deadline = (): deadlines.Deadline | null => deadlines.nextDeadline(run.session());
  const { timers } = run.session().input;
  const summary = describeTimer(timers);
  const wait = async (waitMs: number): Promise<void> => {
    const wakeMs = Date.now() + waitMs;
    const isNearer = (): boolean => (deadline()?.atMs ?? Infinity) < wakeMs;
    await condition(() => isDone() || isNearer(), waitMs, { summary });
  };
  await wait(Math.min(timers.unopenedMs, timers.idleMs, timers.hardMs));
  while (!isDone()) {
    const next = deadline();
    if (!next) await condition(() => isDone() || deadline() !== null);
    else if (next.atMs > Date.now()) await wait(next.atMs - Date.now());
    else await run.inTurn(() => steps.closeIfDue(run));
  }
}
