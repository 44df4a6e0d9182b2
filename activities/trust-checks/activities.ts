import type { Sealer } from '../../db/sealing/sealed.ts';
import type { ServedProof } from '../../workflows/proofs.ts';
import type { StepAnswer } from '../../workflows/trust-check/steps.ts';
import type { EvidenceStore } from '../proofs/evidence/store.ts';
import type { LongProofJudge, PreparedProofJudge, ProofJudge } from '../proofs/judge.ts';
import { decideCheck } from './decide-check.ts';
import { judgeSubmission, type JudgeProofInput } from './judge-submission.ts';
import type { PhotoPublisher } from './photo.ts';
import { takeStep, type StepDeps, type TakeStepInput } from './take-step.ts';

export interface TrustCheckActivities {
  /** Takes a step that needs only the row. */
  takeStep(input: TakeStepInput): Promise<StepAnswer>;
  /** Judges a submission and settles its proof. */
  judgeProof(input: JudgeProofInput): Promise<StepAnswer>;
  /** Decides a check whose proofs are all settled. */
  decideTrustCheck(input: { readonly link_session_id: string }): Promise<StepAnswer>;
}

export interface TrustCheckActivityDeps extends StepDeps {
  readonly sealer: Sealer;
  readonly evidence: EvidenceStore;
  readonly photos: PhotoPublisher;
  readonly judges: Readonly<Record<ServedProof, ProofJudge | PreparedProofJudge | LongProofJudge>>;
}

/**
 * Returns the activities of a trust check. Each step is one transaction. A repeated step has no
 * second effect, and returns the check's current state.
 */
export function createTrustCheckActivities(deps: TrustCheckActivityDeps): TrustCheckActivities {
  return {
    takeStep: (input) => takeStep(deps, input),
    judgeProof: (input) => judgeSubmission(deps, input),
    decideTrustCheck: ({ link_session_id: id }) => decideCheck(deps, id),
  };
}
