import { defineQuery, defineUpdate } from '@temporalio/workflow';
import type { ProofState, ProofType } from '../proofs.ts';
import type { TrustCheckMove, TrustCheckReason, TrustCheckState } from './state.ts';

/**
 * Limits for a session that is unopened, idle, or open at all. Inputs, so that tests can use short
 * waits.
 */
export interface TrustCheckTimers {
  readonly unopenedMs: number;
  readonly idleMs: number;
  readonly hardMs: number;
}

/** Input of the workflow of a trust check: ids, enums and counts only. */
export interface TrustCheckInput {
  readonly link_session_id: string;
  readonly account_id: number;
  readonly proofs: readonly ProofType[];
  readonly attempts_max: number;
  readonly timers: TrustCheckTimers;
}

export interface ProofSnapshot {
  readonly type: ProofType;
  readonly status: ProofState;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly reason_code: string | null;
  readonly provider: string | null;
  readonly evidence_hash: string | null;
}

/** One entry in the log of a session. Each entry becomes one event. */
export interface LogEntry {
  readonly version: number;
  readonly at: string;
  readonly move?: TrustCheckMove;
  readonly from?: TrustCheckState;
  readonly to?: TrustCheckState;
  readonly proof?: ProofType;
  readonly proof_from?: ProofState;
  readonly proof_to?: ProofState;
  /** The step that added the entry: the id of an update, or a name set by the workflow. */
  readonly step_id?: string;
  /** The review that moved the session. Absent if an operator sent the decision. */
  readonly review_id?: string;
  /** The submission that is judged, or that settled the proof. Absent for other causes. */
  readonly submission_id?: string;
}

/** Time that a test check skipped: `ms` milliseconds while it was at this version. */
export interface SkippedTime {
  readonly step_id: string;
  readonly version: number;
  readonly ms: number;
}

/** The state of a session after a step. Every update returns it. */
export interface TrustCheckSnapshot {
  readonly link_session_id: string;
  readonly version: number;
  readonly status: TrustCheckState;
  readonly reason_code: TrustCheckReason | null;
  readonly proofs: readonly ProofSnapshot[];
  /** Instants that deadlines count from, in milliseconds since the epoch, minus skipped time. */
  readonly begun_ms: number;
  readonly opened_ms: number | null;
  readonly active_ms: number;
}

export interface ConsentGiven {
  readonly accepted: boolean;
  readonly tos_version: string;
  readonly claims: readonly string[];
  readonly at: string;
}

export interface PairArgs {
  readonly device_id: string | null;
  readonly poly_user_id: string | null;
}

export interface SubmitProofArgs {
  readonly proof: ProofType;
  /** Reference to the input in the database. The workflow never reads the input. */
  readonly submission_id: string;
}

export interface ReviewArgs {
  readonly decision: 'approve' | 'reject' | 'retry';
  readonly reviewer: string;
  /** Id of the stored review. */
  readonly review_id?: string;
}

export interface CancelArgs {
  readonly reason: Extract<
    TrustCheckReason,
    'user_closed' | 'requester_canceled' | 'link_deleted' | 'attestation_failed'
  >;
}

export interface AdvanceArgs {
  readonly seconds: number;
}

export const beginUpdate = defineUpdate<TrustCheckSnapshot, [{ opened: boolean }]>('begin');
export const openUpdate = defineUpdate<TrustCheckSnapshot, [Record<string, never>]>('open');
export const pairUpdate = defineUpdate<TrustCheckSnapshot, [PairArgs]>('pair');
export const consentUpdate = defineUpdate<TrustCheckSnapshot, [Omit<ConsentGiven, 'at'>]>(
  'consent',
);
export const submitProofUpdate = defineUpdate<TrustCheckSnapshot, [SubmitProofArgs]>('submitProof');
export const retryUpdate = defineUpdate<TrustCheckSnapshot, [Record<string, never>]>('retry');
export const cancelUpdate = defineUpdate<TrustCheckSnapshot, [CancelArgs]>('cancel');
export const reviewUpdate = defineUpdate<TrustCheckSnapshot, [ReviewArgs]>('review');
export const advanceUpdate = defineUpdate<TrustCheckSnapshot, [AdvanceArgs]>('advance');
export const snapshotQuery = defineQuery<TrustCheckSnapshot>('snapshot');

export const trustCheckWorkflowId = (linkSessionId: string): string =>
  `trust-check/${linkSessionId}`;
