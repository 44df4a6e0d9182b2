import {
  allHandlersFinished,
  condition,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { proxyTrustCheck } from '../proxies.ts';
import { refuse } from '../refuse.ts';
import { failureCodeKey, outcomeKey } from '../search-attributes.ts';
import { describe } from './describe.ts';
import * as messages from './messages.ts';
import * as rules from './session.ts';
import { isTrustCheckFinal, type TrustCheckMove, type TrustCheckReason } from './state.ts';

const { judgeProof, decideTrustCheck, projectTrustCheck, concludeTrustCheck } = proxyTrustCheck();

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
  let session = rules.newSession(input, Date.now());
  let busy: Promise<unknown> = Promise.resolve();

  const become = (next: rules.TrustCheckSession): messages.TrustCheckSnapshot => {
    session = next;
    setCurrentDetails(describe(session));
    return session.snapshot;
  };
  // Judging awaits; what comes meanwhile waits its turn, so that no two steps interleave.
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = busy.then(work);
    busy = turn.catch(() => undefined);
    return turn;
  };
  const must = (on: TrustCheckMove): void => {
    if (!rules.mayMove(session, on)) refuse('invalid_state', `the check is ${session.snapshot.status}`);
  };
  const close = async (on: TrustCheckMove, reason: TrustCheckReason): Promise<void> => {
    become(rules.move(session, on, Date.now(), reason));
    await concludeTrustCheck(session.snapshot);
  };

  setHandler(messages.snapshotQuery, () => session.snapshot);
  setHandler(messages.beginUpdate, ({ opened }) =>
    become(opened && rules.mayMove(session, 'open') ? rules.move(session, 'open', Date.now()) : session),
  );
  setHandler(messages.openUpdate, () =>
    become(rules.mayMove(session, 'open') ? rules.move(session, 'open', Date.now()) : session),
  );
  setHandler(messages.pairUpdate, (args) => become(rules.pairDevice(session, args, Date.now())), {
    validator: (args) => {
      if (session.snapshot.device_id && session.snapshot.device_id !== args.device_id) {
        refuse('already_paired');
      }
      must('pair');
    },
  });
  setHandler(
    messages.consentUpdate,
    (args) =>
      inTurn(async () => {
        become(rules.giveConsent(session, args, Date.now()));
        if (!args.accepted) await concludeTrustCheck(session.snapshot);
        return session.snapshot;
      }),
    { validator: (_args) => must('consent') },
  );
  setHandler(messages.submitProofUpdate, (args) => inTurn(() => attempt(args)), {
    validator: ({ proof }) => {
      if (!rules.proofOf(session, proof)) refuse('proof_not_expected');
      if (!rules.mayAttempt(session, proof)) {
        if (session.snapshot.status === 'paired') refuse('consent_required');
        const state = rules.proofOf(session, proof)?.status ?? 'unknown';
        refuse('invalid_state', `the check is ${session.snapshot.status}, the proof ${state}`);
      }
    },
  });
  setHandler(messages.retryUpdate, () => become(rules.reopenProofs(session, Date.now())), {
    validator: (_args) => must('retry'),
  });
  setHandler(
    messages.cancelUpdate,
    ({ reason }) =>
      inTurn(async () => {
        if (rules.mayMove(session, 'cancel')) await close('cancel', reason);
        return session.snapshot;
      }),
    { validator: (_args) => must('cancel') },
  );
  setHandler(messages.reviewUpdate, (args) => inTurn(() => settleReview(args)), {
    validator: (_args) => {
      if (session.snapshot.status !== 'in_review') refuse('invalid_state', 'nothing is in review');
    },
  });

  async function attempt(args: messages.SubmitProofArgs): Promise<messages.TrustCheckSnapshot> {
    // The turn may have come after a decision: then the state says so and nothing is judged.
    if (!rules.mayAttempt(session, args.proof)) return session.snapshot;
    become(rules.beginAttempt(session, args.proof, Date.now()));
    const proof = rules.proofOf(session, args.proof);
    const judgement = await judgeProof({
      link_session_id: input.link_session_id,
      submission_id: args.submission_id,
      proof: args.proof,
      attempt: proof?.attempt ?? 1,
      device_id: session.snapshot.device_id,
    });
    become(rules.settleAttempt(session, args.proof, judgement, Date.now()));
    if (!rules.allDecided(session)) await projectTrustCheck(session.snapshot);
    else await decide();
    return session.snapshot;
  }

  async function decide(): Promise<void> {
    become(rules.move(session, 'decide', Date.now()));
    const decision = await decideTrustCheck({
      snapshot: session.snapshot,
      review_on_unsure: input.review_on_unsure,
    });
    become(rules.move(session, decision.move, Date.now(), decision.reason_code));
    if (isTrustCheckFinal(session.snapshot.status)) await concludeTrustCheck(session.snapshot);
    else await projectTrustCheck(session.snapshot);
  }

  async function settleReview(args: messages.ReviewArgs): Promise<messages.TrustCheckSnapshot> {
    if (session.snapshot.status !== 'in_review') return session.snapshot;
    if (args.decision === 'retry') {
      become(rules.move(session, 'ask_again', Date.now()));
      await projectTrustCheck(session.snapshot);
    } else if (args.decision === 'approve') {
      become(rules.move(session, 'pass', Date.now()));
      await concludeTrustCheck(session.snapshot);
    } else {
      await close('fail', 'review_rejected');
    }
    return session.snapshot;
  }

  setCurrentDetails(describe(session));
  await untilFinal(
    () => session,
    (on, reason) => inTurn(() => close(on, reason)),
  );
  await condition(allHandlersFinished);
  const { status, reason_code } = session.snapshot;
  upsertSearchAttributes([
    { key: outcomeKey, value: status },
    ...(reason_code ? [{ key: failureCodeKey, value: reason_code }] : []),
  ]);
  return { status, reason_code };
}

/**
 * Waits for a final state. The first timer is the shortest of the deadlines and a later one is
 * started only when it has run out: a check that is done in time costs one timer, not one a step.
 */
async function untilFinal(
  current: () => rules.TrustCheckSession,
  close: (on: TrustCheckMove, reason: TrustCheckReason) => Promise<void>,
): Promise<void> {
  const isDone = (): boolean => isTrustCheckFinal(current().snapshot.status);
  const { timers } = current().input;
  let waitMs = Math.min(timers.unopenedMs, timers.idleMs, timers.hardMs);
  while (!(await condition(isDone, waitMs, { summary: 'session deadline' }))) {
    const deadline = rules.nextDeadline(current());
    const leftMs = deadline.atMs - Date.now();
    const isWatched = rules.mayMove(current(), deadline.on);
    if (leftMs <= 0 && isWatched) {
      await close(deadline.on, deadline.on === 'abandon' ? 'idle_timeout' : 'deadline');
    }
    waitMs = leftMs > 0 ? leftMs : timers.idleMs;
  }
}
