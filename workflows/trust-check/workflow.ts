import {
  allHandlersFinished,
  condition,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { proxyTrustCheck } from '../proxies.ts';
import { refuse } from '../refuse.ts';
import { failureCodeKey, outcomeKey } from '../search-attributes.ts';
import { nextDeadline } from './deadlines.ts';
import { describeTimer } from './describe.ts';
import { judge } from './judge.ts';
import * as messages from './messages.ts';
import { createRun, type Run } from './run.ts';

const { takeStep } = proxyTrustCheck();

/** Result of the workflow: the outcome as the Temporal UI shows it. */
export interface TrustCheckOutcome {
  readonly status: string;
  readonly reason_code: string | null;
}

/**
 * Runs one trust check, from its link to its decision. The database row is the source of truth:
 * each step is one transaction on it that returns the new state, and a repeated step returns it
 * again. The workflow orders the steps of callers, has proofs judged, decides, and waits for
 * deadlines.
 */
export async function trustCheck(input: messages.TrustCheckInput): Promise<TrustCheckOutcome> {
  const run = createRun(input);
  setHandler(messages.snapshotQuery, () => run.snapshot(), {
    description: 'The state of the check and its proofs. No personal data.',
  });
  handleMoves(run);
  handleProofs(run);
  handleEnds(run);
  await untilOver(run);
  await condition(allHandlersFinished);
  const { status, reason_code } = run.snapshot();
  upsertSearchAttributes([
    { key: outcomeKey, value: status },
    ...(reason_code ? [{ key: failureCodeKey, value: reason_code }] : []),
  ]);
  return { status, reason_code };
}

/** created → opened → paired → collecting, or declined. */
function handleMoves(run: Run): void {
  setHandler(
    messages.beginUpdate,
    ({ opened }) => (opened ? run.step({ kind: 'open' }) : run.snapshot()),
    { description: 'Begins the session; sent with its start.' },
  );
  setHandler(messages.openUpdate, (_args) => run.step({ kind: 'open' }), {
    description: 'The page has loaded.',
  });
  setHandler(messages.pairUpdate, (args) => run.step({ kind: 'pair', ...args }), {
    description: 'A phone joins, or the web client where no proof needs a phone.',
    validator: (_args) => assertNotCanceled(run),
  });
  setHandler(messages.consentUpdate, (args) => run.step({ kind: 'consent', ...args }), {
    description: 'The person agrees or refuses.',
    validator: (_args) => assertNotCanceled(run),
  });
}

/** collecting → processing → passed, failed, in_review or requires_retry → collecting. */
function handleProofs(run: Run): void {
  setHandler(messages.submitProofUpdate, (args) => judge(run, args), {
    description: 'Submits a proof, which is judged; the submission is named by its id only.',
    validator: (_args) => assertNotCanceled(run),
  });
  setHandler(messages.retryUpdate, (_args) => run.step({ kind: 'retry' }), {
    description: 'Opens every proof that did not pass for another try.',
    validator: (_args) => assertNotCanceled(run),
  });
  setHandler(
    messages.reviewUpdate,
    ({ decision, review_id }) =>
      run.step({ kind: 'review', decision, ...(review_id && { review_id }) }),
    {
      description: 'A reviewer decides; sent by the API, which authorizes the reviewer.',
      validator: (_args) => assertNotCanceled(run),
    },
  );
}

/** Any state that is not final → canceled, failed, abandoned or expired. */
function handleEnds(run: Run): void {
  setHandler(
    messages.cancelUpdate,
    ({ reason }) => {
      // An untrusted device fails its check; every other manual end cancels it.
      const move = reason === 'attestation_failed' ? 'fail' : 'cancel';
      return run.step({ kind: 'end', move, reason_code: reason });
    },
    {
      description:
        'Ends the check before a decision. An operator sends {"reason": "requester_canceled"}.',
      validator: (_args) => assertNotCanceled(run),
    },
  );
  setHandler(
    messages.advanceUpdate,
    ({ seconds }) => {
      const { timers } = run.input;
      return run.step({ kind: 'skip_time', seconds, timers, now_ms: Date.now() });
    },
    {
      description: 'Brings the deadlines of a test check nearer, by seconds.',
      validator: (_args) => assertNotCanceled(run),
    },
  );
}

/**
 * Rejects updates after the end. The step itself refuses everything else, based on the row: after a
 * lost task the row may be ahead of this workflow.
 */
function assertNotCanceled(run: Run): void {
  if (run.isOver()) refuse('invalid_state', `the check is ${run.snapshot().status}`);
}

/**
 * Waits for a final state. The first timer has the shortest of the deadlines. Another timer starts
 * only if it fired, or if the opening brought the deadline closer. A check that finishes in time
 * costs one timer, not one per step. A review has no deadline and no timer.
 */
async function untilOver(run: Run): Promise<void> {
  const { timers, link_session_id } = run.input;
  const deadlineMs = (): number => nextDeadline(run.snapshot(), timers)?.atMs ?? Infinity;
  const summary = describeTimer(timers);
  const wait = async (waitMs: number): Promise<void> => {
    const wakeMs = Date.now() + waitMs;
    await condition(() => run.isOver() || deadlineMs() < wakeMs, waitMs, { summary });
  };
  await wait(Math.min(timers.unopenedMs, timers.idleMs, timers.hardMs));
  while (!run.isOver()) {
    const waitMs = deadlineMs() - Date.now();
    if (waitMs === Infinity) await condition(() => run.isOver() || deadlineMs() < Infinity);
    else if (waitMs > 0) await wait(waitMs);
    else {
      const step_id = `deadline/${run.snapshot().version}`;
      const step = { kind: 'end_if_due', timers, now_ms: Date.now() } as const;
      await run.inTurn(() => takeStep({ link_session_id, step_id, step }));
    }
  }
}
