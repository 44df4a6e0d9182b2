import type { FailureCode } from '../failures.ts';
import { nextDeadline } from './deadlines.ts';
import type {
  ConsentGiven,
  PairArgs,
  ReviewArgs,
  SubmitProofArgs,
  TrustCheckSnapshot,
  TrustCheckTimers,
} from './messages.ts';
import * as rules from './session.ts';
import type { Judgement, TrustCheckRecord, TrustCheckSession } from './session.ts';
import { skip, snapshotOf } from './snapshot.ts';
import { isTrustCheckFinal, type TrustCheckMove, type TrustCheckReason } from './state.ts';

/** Time of the workflow, which compares it with the deadlines it waits for. */
interface AtTime {
  readonly timers: TrustCheckTimers;
  readonly now_ms: number;
}

/** One step of a session. Steps are the only way to change a session. */
export type TrustCheckStep =
  | { readonly kind: 'open' }
  | ({ readonly kind: 'pair' } & PairArgs)
  | ({ readonly kind: 'consent' } & Omit<ConsentGiven, 'at'>)
  | ({ readonly kind: 'process' } & SubmitProofArgs)
  | ({ readonly kind: 'settle'; readonly judgement: Judgement } & SubmitProofArgs)
  | {
      readonly kind: 'decide';
      readonly move: TrustCheckMove;
      readonly reason_code: TrustCheckReason | null;
    }
  | { readonly kind: 'retry' }
  | ({ readonly kind: 'review' } & Omit<ReviewArgs, 'reviewer'>)
  | {
      readonly kind: 'end';
      readonly move: 'cancel' | 'fail';
      readonly reason_code: TrustCheckReason;
    }
  | ({ readonly kind: 'end_if_due' } & AtTime)
  | ({ readonly kind: 'skip_time'; readonly seconds: number } & AtTime);

/** Why a step is illegal in the state of the session: a failure code and its detail. */
export interface Refusal {
  readonly code: FailureCode;
  readonly detail: string;
}

/** Answer to a step: the state after it, or the state in which it was refused. */
export interface StepAnswer {
  readonly snapshot: TrustCheckSnapshot;
  readonly refusal?: Refusal;
}

/** Whether the session has already taken the step with this id. */
export function hasTaken(
  { log, skips }: Pick<TrustCheckRecord, 'log' | 'skips'>,
  stepId: string,
): boolean {
  return [...log, ...skips].some(({ step_id }) => step_id === stepId);
}

/** A step that is not taken yet: a submission has no judgement. */
export type PlannedStep =
  | Exclude<TrustCheckStep, { kind: 'settle' }>
  | Omit<Extract<TrustCheckStep, { kind: 'settle' }>, 'judgement'>;

/** Returns why the step is illegal now, or null if it is legal or changes nothing. */
export function refusalOf(session: TrustCheckSession, step: PlannedStep): Refusal | null {
  switch (step.kind) {
    case 'pair': {
      const { device_id } = session;
      if (device_id && device_id !== step.device_id) {
        return { code: 'already_paired', detail: 'already_paired' };
      }
      return unlessLegal(session, 'pair');
    }
    case 'consent':
    case 'retry':
      return unlessLegal(session, step.kind);
    case 'end':
      return unlessLegal(session, step.move);
    case 'process':
    case 'settle':
      return refusalOfAttempt(session, step);
    case 'review':
      return refusalOfReview(session, step.decision);
    case 'skip_time':
      return isTrustCheckFinal(session.status) ? refusalIn(session) : null;
    case 'open':
    case 'decide':
    case 'end_if_due':
      return null;
  }
}

function refusalOfAttempt(
  session: TrustCheckSession,
  { proof, submission_id }: SubmitProofArgs,
): Refusal | null {
  const known = rules.proofOf(session, proof);
  if (!known) return { code: 'proof_not_expected', detail: 'proof_not_expected' };
  if (rules.mayAttempt(session, proof, submission_id)) return null;
  if (session.status === 'paired') {
    return { code: 'consent_required', detail: 'consent_required' };
  }
  if (session.status === 'collecting' && known.status === 'processing') {
    const detail = 'an earlier submission of this proof is still judged: wait for its event';
    return { code: 'invalid_state', detail };
  }
  // The state of the proof would reveal the judgement, which an account may hide from the person.
  const detail = `the check is ${session.status}, and the proof is not open now`;
  return { code: 'invalid_state', detail };
}

function refusalOfReview(
  session: TrustCheckSession,
  decision: ReviewArgs['decision'],
): Refusal | null {
  if (session.status !== 'in_review') {
    return { code: 'invalid_state', detail: 'No proof is in review' };
  }
  if (decision !== 'retry' || rules.mayRetry(session)) return null;
  return { code: 'invalid_state', detail: 'Every proof has passed, so there is none to retry' };
}

const unlessLegal = (session: TrustCheckSession, on: TrustCheckMove): Refusal | null =>
  rules.mayMove(session, on) ? null : refusalIn(session);

const refusalIn = ({ status }: TrustCheckSession): Refusal => ({
  code: 'invalid_state',
  detail: `the check is ${status}`,
});

/**
 * Returns the session after a legal step. A step without effect in this state (a second `open`, a
 * deadline that has moved) returns it unchanged.
 */
export function afterStep(
  session: TrustCheckSession,
  step: TrustCheckStep,
  stepId: string,
  nowMs: number,
): TrustCheckSession {
  const after = change(session, step, stepId, nowMs);
  const log = after.log.map((entry, place) =>
    place < session.log.length ? entry : { ...entry, step_id: stepId },
  );
  return { ...after, log };
}

function change(
  session: TrustCheckSession,
  step: TrustCheckStep,
  stepId: string,
  nowMs: number,
): TrustCheckSession {
  switch (step.kind) {
    case 'open':
      return rules.mayMove(session, 'open') ? rules.move(session, 'open', nowMs) : session;
    case 'pair':
      return rules.pairDevice(session, step, nowMs);
    case 'consent': {
      const { accepted, tos_version, claims } = step;
      return rules.giveConsent(session, { accepted, tos_version, claims }, nowMs);
    }
    case 'process': {
      const { proof, submission_id } = step;
      return rules.beginAttempt(session, proof, nowMs, { submission_id });
    }
    case 'settle':
      return settle(session, step, nowMs);
    case 'decide': {
      if (session.status !== 'processing') return session;
      return rules.move(session, step.move, nowMs, step.reason_code);
    }
    case 'retry':
      return rules.reopenProofs(session, nowMs);
    case 'review':
      return review(session, step, nowMs);
    case 'end':
      return rules.move(session, step.move, nowMs, step.reason_code);
    case 'end_if_due':
      return endIfDue(session, step, nowMs);
    case 'skip_time':
      return endIfDue(skip(session, step.seconds * 1000, stepId), step, nowMs);
  }
}

/** Counts and settles an attempt. After the last proof the check waits for its decision. */
function settle(
  session: TrustCheckSession,
  { proof, judgement, submission_id }: Extract<TrustCheckStep, { kind: 'settle' }>,
  nowMs: number,
): TrustCheckSession {
  const begun = rules.beginAttempt(session, proof, nowMs);
  const settled = rules.settleAttempt(begun, proof, judgement, nowMs, { submission_id });
  return rules.allDecided(settled) ? rules.move(settled, 'decide', nowMs) : settled;
}

/** A reviewer approves, rejects, or lets the person try again. */
function review(
  session: TrustCheckSession,
  { decision, review_id }: Extract<TrustCheckStep, { kind: 'review' }>,
  nowMs: number,
): TrustCheckSession {
  const settled = decision === 'retry' ? session : rules.settleReviewed(session, decision, nowMs);
  const on = ({ approve: 'pass', reject: 'fail', retry: 'ask_again' } as const)[decision];
  const reason = decision === 'reject' ? 'review_rejected' : null;
  return rules.move(settled, on, nowMs, reason, review_id ? { review_id } : {});
}

/**
 * Compares the deadline with the later of two clocks: that of the workflow and that of the worker.
 */
function endIfDue(
  session: TrustCheckSession,
  { timers, now_ms }: AtTime,
  nowMs: number,
): TrustCheckSession {
  const due = nextDeadline(snapshotOf(session), timers);
  if (!due || due.atMs > Math.max(now_ms, nowMs)) return session;
  const reason = due.on === 'abandon' ? 'idle_timeout' : 'deadline';
  return rules.move(session, due.on, nowMs, reason);
}
