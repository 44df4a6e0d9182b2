import type { Tx } from '../../db/client.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { Claims } from '../../domain/proofs/claims.ts';
import type { ProofReason } from '../../domain/proofs/reasons.ts';
import type { Verdict } from '../../domain/proofs/verdict.ts';
import type { Judgement } from '../../workflows/trust-check/session.ts';

/** Input of a judgement. `input` is the submission, decrypted and parsed as JSON. */
export interface ProofContext {
  readonly session: TrustCheckRow;
  readonly input: Readonly<Record<string, unknown>>;
  /** The uploaded files that the input names, by evidence id, without missing ones. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly tx: Tx;
  readonly now: Date;
  /** When it was submitted, however late it is judged. */
  readonly handedInAt: Date;
}

/**
 * A judgement with its results: claims, checks of the verdict, and the evidence files.
 * docs/decisions/014-evidence.md
 */
export interface ProofResult extends Omit<Judgement, 'evidence_hash' | 'reason_code'> {
  readonly reason_code: ProofReason | null;
  readonly claims?: Claims;
  readonly verdict?: Verdict;
  /** The verdict of each file, where there are several. */
  readonly verdicts?: readonly Verdict[];
  readonly evidenceFiles?: readonly Readonly<Record<string, unknown>>[];
  /** Hash of the evidence that this proof was compared with. The result only counts beside it. */
  readonly comparedWith?: string;
  /**
   * Challenge that is consumed with the judgement. If it cannot be consumed, there is no judgement.
   */
  readonly spends?: string;
  /**
   * Stores related data in the judgement's transaction. If it throws, the proof is judged again.
   */
  readonly keeps?: (tx: Tx) => Promise<void>;
}

/**
 * Judge of one proof type. It returns a result for every input, also a hostile one. It throws only
 * when a dependency is unavailable, and is then retried.
 */
export interface ProofJudge {
  judge(context: ProofContext): Promise<ProofResult>;
}

/**
 * Judge of a proof type that needs data from outside of the database. The data is fetched before
 * the transaction begins, so that the transaction waits for nothing else.
 */
export interface PreparedProofJudge {
  prepare(given: Pick<ProofContext, 'session' | 'input' | 'files'>): Promise<ProofJudge>;
}

/**
 * Judge of a proof type that takes long and changes nothing. It runs before the transaction begins,
 * which would otherwise hold its locks meanwhile. Otherwise like `ProofJudge`.
 */
export interface LongProofJudge {
  judgeAhead(given: Omit<ProofContext, 'tx'>): Promise<ProofResult>;
}
