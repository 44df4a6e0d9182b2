import { type ProofState, type ProofType, portraitProofOf, proofFinalStates } from '../proofs.ts';
import type {
  ConsentGiven,
  LogEntry,
  PairArgs,
  ProofSnapshot,
  SkippedTime,
  TrustCheckInput,
} from './messages.ts';
import { processingOf } from './processing.ts';
import { reviewedAs } from './reviewed.ts';
import {
  isTrustCheckFinal,
  nextTrustCheckState,
  type TrustCheckMove,
  type TrustCheckReason,
  type TrustCheckState,
} from './state.ts';

/** Result of judging one submission. A rejected proof is a value, never a failure. */
export interface Judgement {
  readonly outcome: 'passed' | 'rejected' | 'unsure';
  readonly reason_code: string | null;
  /** Whether another attempt could help: for a mistyped code it can, for a cloned chip not. */
  readonly retryable: boolean;
  readonly provider: string | null;
  readonly evidence_hash: string | null;
}

/** Ids of what caused an entry of the log. */
type Because = Pick<LogEntry, 'review_id' | 'submission_id'>;

interface State {
  readonly link_session_id: string;
  readonly version: number;
  readonly status: TrustCheckState;
  readonly reason_code: TrustCheckReason | null;
  readonly proofs: readonly ProofSnapshot[];
  readonly poly_user_id: string | null;
  readonly device_id: string | null;
  readonly consent: ConsentGiven | null;
  readonly log: readonly LogEntry[];
  readonly skips: readonly SkippedTime[];
  readonly begun_ms: number;
}

interface Session extends State {
  /** The state after each entry that was added to the log since the session was read. */
  readonly added: readonly State[];
}

export type { Session as TrustCheckSession, State as TrustCheckRecord };

/** Returns a newly created session. */
export function newSession(input: TrustCheckInput, nowMs: number): Session {
  const proofs = input.proofs.map((type): ProofSnapshot => ({
    type,
    status: 'waiting_for_prerequisite',
    attempt: 0,
    max_attempts: input.attempts_max,
    reason_code: null,
    provider: null,
    evidence_hash: null,
  }));
  return {
    link_session_id: input.link_session_id,
    version: 0,
    status: 'created',
    reason_code: null,
    proofs,
    poly_user_id: null,
    device_id: null,
    consent: null,
    log: [],
    skips: [],
    begun_ms: nowMs,
    added: [],
  };
}

/** Whether a move is legal in this state. */
export function mayMove({ status }: Pick<State, 'status'>, on: TrustCheckMove): boolean {
  return nextTrustCheckState(status, on) !== null;
}

/**
 * Returns the session after a legal move. The reason replaces the earlier one: the reason for a
 * review is not the reason for the outcome of the check.
 * @throws Error for an illegal move
 */
export function move(
  session: Session,
  on: TrustCheckMove,
  nowMs: number,
  reason: TrustCheckReason | null = null,
  because: Because = {},
): Session {
  const from = session.status;
  const to = nextTrustCheckState(from, on);
  if (!to) throw new Error(`no ${on} from ${from}`);
  const change = { status: to, reason_code: reason };
  const moved = append(session, nowMs, { move: on, from, to, ...because }, change);
  return isTrustCheckFinal(to) ? closeProofs(moved, to, nowMs) : moved;
}

export function pairDevice(session: Session, args: PairArgs, nowMs: number): Session {
  const moved = move(session, 'pair', nowMs);
  const poly_user_id = args.poly_user_id ?? session.poly_user_id;
  return patch(moved, { device_id: args.device_id, poly_user_id });
}

export function giveConsent(
  session: Session,
  consent: Omit<ConsentGiven, 'at'>,
  nowMs: number,
): Session {
  const at = new Date(nowMs).toISOString();
  const noted = patch(session, { consent: { ...consent, at } });
  if (!consent.accepted) return move(noted, 'decline', nowMs, 'consent_declined');
  const moved = move(noted, 'consent', nowMs);
  return moved.proofs.reduce((current, { type }) => {
    const status = isAwaited(current, type) ? 'waiting_for_prerequisite' : 'ready';
    return setProof(current, type, { status }, nowMs, null);
  }, moved);
}

/** A face waits for the portrait that it is compared with. A portrait in review is enough. */
function isAwaited({ proofs }: State, type: ProofType): boolean {
  if (type !== 'biometric') return false;
  const shows = portraitProofOf(proofs.map((proof) => proof.type));
  const portrait = proofs.find((proof) => proof.type === shows);
  return portrait !== undefined && !['passed', 'in_review'].includes(portrait.status);
}

function openFace(session: Session, nowMs: number): Session {
  const isWaiting = proofOf(session, 'biometric')?.status === 'waiting_for_prerequisite';
  if (!isWaiting || isAwaited(session, 'biometric')) return session;
  return setProof(session, 'biometric', { status: 'ready' }, nowMs);
}

/** Whether a submission can be judged now: the proof is open or processes this one. */
export function mayAttempt(session: Session, type: ProofType, submissionId: string): boolean {
  if (session.status !== 'collecting') return false;
  const status = proofOf(session, type)?.status;
  if (status === 'processing') return processingOf(session, type) === submissionId;
  return status === 'ready' || status === 'requires_retry';
}

export function proofOf(session: Session, type: ProofType): ProofSnapshot | undefined {
  return session.proofs.find((proof) => proof.type === type);
}

/**
 * Counts an attempt, once.
 * @param because set for an attempt whose judgement outlasts its call; only that one is logged
 */
export function beginAttempt(
  session: Session,
  type: ProofType,
  nowMs: number,
  because: Because | null = null,
): Session {
  const proof = proofOf(session, type);
  if (!proof || proof.status === 'processing') return session;
  const change = { status: 'processing', attempt: proof.attempt + 1, reason_code: null } as const;
  return setProof(session, type, change, nowMs, because);
}

/** Returns the session after a judgement: passed, retry, in review, or failed. */
export function settleAttempt(
  session: Session,
  type: ProofType,
  judgement: Judgement,
  nowMs: number,
  because: Because = {},
): Session {
  const proof = proofOf(session, type);
  if (!proof || isTrustCheckFinal(session.status)) return session;
  const { reason_code, provider, evidence_hash } = judgement;
  const status = settledState(proof, judgement);
  const change = { status, reason_code, provider, evidence_hash };
  const settled = setProof(session, type, change, nowMs, because);
  // A proof that failed while this one was judged decides the check, too.
  const isLost = settled.proofs.some((each) => each.status === 'failed');
  return isLost ? skipOthers(settled, nowMs) : openFace(settled, nowMs);
}

function settledState(proof: ProofSnapshot, judgement: Judgement): ProofState {
  if (judgement.outcome === 'passed') return 'passed';
  if (judgement.outcome === 'unsure') return 'in_review';
  return judgement.retryable && proof.attempt < proof.max_attempts ? 'requires_retry' : 'failed';
}

/** Whether nothing is left to collect: every proof is final or waits for a reviewer. */
export function allDecided(session: Session): boolean {
  return session.proofs.every(
    (proof) => proof.status === 'in_review' || proofFinalStates.includes(proof.status),
  );
}

/** Whether a proof did not pass. All may have: a rule alone can send a check to review. */
export const mayRetry = ({ proofs }: State): boolean =>
  proofs.some(({ status }) => status !== 'passed');

/**
 * Reopens every proof that did not pass, with all its attempts. A passed face is reopened with its
 * portrait, since the new portrait may show another person.
 */
export function reopenProofs(session: Session, nowMs: number): Session {
  const reopened = move(session, 'retry', nowMs);
  return reopened.proofs
    .toSorted((one, other) => Number(one.type === 'biometric') - Number(other.type === 'biometric'))
    .reduce((current, { type, status: before }) => {
      const isWaiting = isAwaited(current, type);
      if (before === 'passed' && !isWaiting) return current;
      const status = isWaiting ? 'waiting_for_prerequisite' : 'ready';
      const change = { status, attempt: 0, reason_code: null } as const;
      return setProof(current, type, change, nowMs, null);
    }, reopened);
}

/** Applies the reviewer's decision on the check to the proofs that were in review. */
export function settleReviewed(
  session: Session,
  decision: 'approve' | 'reject',
  nowMs: number,
): Session {
  return session.proofs
    .filter((proof) => proof.status === 'in_review')
    .reduce((current, proof) => {
      return setProof(current, proof.type, reviewedAs(decision, proof), nowMs);
    }, session);
}

const isOpen: ReadonlySet<ProofState> = new Set([
  'waiting_for_prerequisite',
  'ready',
  'requires_retry',
]);

/** One failed proof decides the check, so the open proofs are skipped. */
function skipOthers(session: Session, nowMs: number): Session {
  return session.proofs
    .filter(({ status }) => isOpen.has(status))
    .reduce(
      (current, proof) => setProof(current, proof.type, { status: 'skipped' }, nowMs),
      session,
    );
}

/** Closes the open proofs of an ended check; those in review only if it is canceled. */
function closeProofs(session: Session, to: TrustCheckState, nowMs: number): Session {
  const status: ProofState = to === 'canceled' || to === 'declined' ? 'canceled' : 'expired';
  return session.proofs
    .filter((proof) => !proofFinalStates.includes(proof.status))
    .filter((proof) => to === 'canceled' || proof.status !== 'in_review')
    .reduce((current, proof) => setProof(current, proof.type, { status }, nowMs, null), session);
}

function setProof(
  session: Session,
  type: ProofType,
  change: Partial<ProofSnapshot>,
  nowMs: number,
  /** Null for a change that is not a step of its own and is not logged. */
  because: Because | null = {},
): Session {
  const before = proofOf(session, type);
  if (!before) return session;
  const proofs = session.proofs.map((proof) =>
    proof.type === type ? { ...proof, ...change } : proof,
  );
  if (!because || !change.status) return patch(session, { proofs });
  const entry = { proof: type, proof_from: before.status, proof_to: change.status, ...because };
  return append(session, nowMs, entry, { proofs });
}

function append(
  session: Session,
  nowMs: number,
  entry: Omit<LogEntry, 'version' | 'at'>,
  change: Partial<State> = {},
): Session {
  const version = session.version + 1;
  const before = session.log.at(-1);
  // The clocks of two workers differ, but the times in one log must not go back.
  const atMs = before ? Math.max(nowMs, Date.parse(before.at)) : nowMs;
  const logged: LogEntry = { version, at: new Date(atMs).toISOString(), ...entry };
  const next = { ...session, ...change, version, log: [...session.log, logged] };
  return { ...next, added: [...session.added, next] };
}

/** Applies a change without its own log entry to the state of the entry before it. */
function patch(session: Session, change: Partial<State>): Session {
  const next = { ...session, ...change };
  const { added } = session;
  return added.length === 0 ? next : { ...next, added: [...added.slice(0, -1), next] };
}
