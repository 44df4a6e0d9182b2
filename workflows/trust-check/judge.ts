import { isCancellation, TemporalFailure } from '@temporalio/workflow';
import { proxyJudge, proxyLongJudge, proxyTrustCheck } from '../proxies.ts';
import type { SubmitProofArgs, TrustCheckSnapshot } from './messages.ts';
import type { Run } from './run.ts';
import type { Judgement } from './session.ts';
import type { TrustCheckReason } from './state.ts';
import type { StepAnswer } from './steps.ts';

const { judgeProof } = proxyJudge();
const { judgeProof: judgeLong } = proxyLongJudge();
const { takeStep } = proxyTrustCheck();

/**
 * Has a submission judged, which settles its proof. Photographs take long, so they are judged in
 * parallel to other steps of the check.
 */
export function judge(run: Run, args: SubmitProofArgs): Promise<TrustCheckSnapshot> {
  const isLong = args.proof === 'document' || args.proof === 'biometric';
  if (isLong) return run.beside(args.proof, () => judgeBy(judgeLong, run, args));
  return run.inTurn(() => judgeBy(judgeProof, run, args));
}

/**
 * Judges a submission, and settles it for review if the judge does not answer. A local activity
 * fails with the error that it threw; its timeout is an ActivityFailure.
 */
async function judgeBy(
  judgeWith: typeof judgeProof,
  { input: { link_session_id } }: Run,
  { proof, submission_id }: SubmitProofArgs,
): Promise<StepAnswer> {
  try {
    return await judgeWith({ link_session_id, submission_id, proof });
  } catch (error) {
    if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error;
    const step = { kind: 'settle', proof, submission_id, judgement: unjudged } as const;
    return takeStep({ link_session_id, step_id: submission_id, step });
  }
}

const unjudged: Judgement = {
  outcome: 'unsure',
  reason_code: 'provider_unavailable' satisfies TrustCheckReason,
  retryable: false,
  provider: null,
  evidence_hash: null,
};
