import type { Tx } from '../../db/client.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { Claims } from '../../domain/proofs/claims.ts';
import type { ProofReason } from '../../domain/proofs/reasons.ts';
import type { Verdict } from '../../domain/proofs/verdict.ts';
import type { Judgement } from '../../workflows/trust-check/session.ts';

/** What a proof is judged on. `input` is what was handed in, opened and parsed as JSON. */
export interface ProofContext {
  readonly session: TrustCheckRow;
  readonly input: Readonly<Record<string, unknown>>;
  /** The uploaded files the input names, by evidence id; one that is gone is not among them. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly tx: Tx;
  readonly now: Date;
  /** When it came in, however late it is judged. */
  readonly handedInAt: Date;
}

/**
 * A judgement with what it yielded: claims, the verdict's checks, the files an auditor repeats it
 * on. docs/decisions/014-evidence.md
 */
export interface ProofResult extends Omit<Judgement, 'evidence_hash' | 'reason_code'> {
  readonly reason_code: ProofReason | null;
  readonly claims?: Claims;
  readonly verdict?: Verdict;
  /** Of each file, where there are several. */
  readonly verdicts?: readonly Verdict[];
  readonly evidenceFiles?: readonly Readonly<Record<string, unknown>>[];
  /** The hash of the evidence it was compared with: it says something beside that one alone. */
  readonly comparedWith?: string;
  /** The challenge it answers, which is spent as the judgement is kept: else it is none. */
  readonly spends?: string;
  /** Keeps what belongs to it besides, with the judgement. Where it throws, it is judged anew. */
  readonly keeps?: (tx: Tx) => Promise<void>;
}

/**
 * One proof type. Judging answers a result for every input, hostile ones included; it throws only
 * when something it depends on does not answer, and then it is tried again.
 */
export interface ProofJudge {
  judge(context: ProofContext): Promise<ProofResult>;
}

/**
 * A proof type that needs what lies outside the database: it is fetched before the transaction
 * begins, which then judges by it and waits for nothing else.
 */
export interface PreparedProofJudge {
  prepare(given: Pick<ProofContext, 'session' | 'input' | 'files'>): Promise<ProofJudge>;
}

/**
 * A proof type that takes long to judge and changes nothing: it is judged before the transaction
 * begins, which would hold its locks all the while. In all else it is a `ProofJudge`.
 */
export interface LongProofJudge {
  judgeAhead(given: Omit<ProofContext, 'tx'>): Promise<ProofResult>;
}
