import { isCancellation, TemporalFailure } from '@temporalio/workflow';
import { proxyJudge, proxyLongJudge, proxyTrustCheck } from '../proxies.ts';
import { nextDeadline, skip } from './deadlines.ts';
import type {
  AdvanceArgs,
  CancelArgs,
  ConsentGiven,
  ReviewArgs,
  SubmitProofArgs,
  TrustCheckSnapshot,
} from './messages.ts';
import type { Run } from './run.ts';
import * as rules from './session.ts';
import type { TrustCheckMove, TrustCheckReason } from './state.ts';

const { judgeProof } = proxyJudge();
const { judgeProof: judgeLong } = proxyLongJudge();
const { decideTrustCheck } = proxyTrustCheck();

/** The person agrees, which is told with the next step, or refuses, which ends the check. */
export function consent(
  { record, session, become }: Run,
  given: Omit<ConsentGiven, 'at'>,
): Promise<TrustCheckSnapshot> {
  return record(() => {
    if (!rules.mayMove(session(), 'consent')) return false;
    become(rules.giveConsent(session(), given, Date.now()));
    return !given.accepted;
  });
}

/** A proof is judged; with the last of them the check is decided. */
export function attempt(run: Run, args: SubmitProofArgs): Promise<TrustCheckSnapshot> {
  const { session, become } = run;
  const { proof, submission_id } = args;
  return run.record(async () => {
    // The turn may have come after a decision: then the state says so and nothing is judged.
    if (rules.hasStepOf(session(), { submission_id })) return false;
    if (!rules.mayAttempt(session(), proof)) return false;
    become(rules.beginAttempt(session(), proof, Date.now()));
    const judgement = await judgeOrReview({
      link_session_id: run.input.link_session_id,
      submission_id,
      proof,
      attempt: rules.proofOf(session(), proof)?.attempt ?? 1,
      device_id: session().snapshot.device_id,
    });
    become(rules.settleAttempt(session(), proof, judgement, Date.now(), { submission_id }));
    if (session().snapshot.status === 'collecting' && rules.allDecided(session())) {
      await decide(run);
    }
    return true;
  });
}

/** A reviewer approves, rejects, or has the person try again. */
export function review(
  { record, session, become }: Run,
  { decision, review_id }: ReviewArgs,
): Promise<TrustCheckSnapshot> {
  const because = review_id ? { review_id } : {};
  return record(() => {
    if (rules.hasStepOf(session(), because)) return false;
    if (session().snapshot.status !== 'in_review') return false;
    if (decision === 'retry' && !rules.mayRetry(session())) return false;
    if (decision !== 'retry') become(rules.settleReviewed(session(), decision, Date.now()));
    const on = ({ approve: 'pass', reject: 'fail', retry: 'ask_again' } as const)[decision];
    const reason = decision === 'reject' ? 'review_rejected' : null;
    become(rules.move(session(), on, Date.now(), reason, because));
    return true;
  });
}

/** Ends the check, if it has not ended. */
export function close(
  { record, session, become }: Run,
  on: TrustCheckMove,
  { reason, cancel_id }: CancelArgs,
): Promise<TrustCheckSnapshot> {
  const because = cancel_id ? { cancel_id } : {};
  return record(() => {
    if (!rules.mayMove(session(), on)) return false;
    become(rules.move(session(), on, Date.now(), reason, because));
    return true;
  });
}

/** Ends the check if its deadline has passed; what is on record may have moved that. */
export function closeIfDue({ record, session, become }: Run): Promise<TrustCheckSnapshot> {
  return record(() => {
    const due = nextDeadline(session());
    if (!due || due.atMs > Date.now()) return false;
    const reason = due.on === 'abandon' ? 'idle_timeout' : 'deadline';
    become(rules.move(session(), due.on, Date.now(), reason));
    return true;
  });
}

/** Skips time, and ends the check if its deadline has passed then. */
export function advance(run: Run, { seconds }: AdvanceArgs): Promise<TrustCheckSnapshot> {
  run.become(skip(run.session(), seconds * 1000));
  return closeIfDue(run);
}

/** Takes no step but those on record that this workflow does not know. */
export function catchUp({ record, session }: Run): Promise<TrustCheckSnapshot> {
  const { snapshot } = session();
  return record(() => session().snapshot === snapshot);
}

async function decide({ input, session, become }: Run): Promise<void> {
  become(rules.move(session(), 'decide', Date.now()));
  const decision = await decideTrustCheck({
    snapshot: session().snapshot,
    review_on_unsure: input.review_on_unsure,
  });
  become(rules.move(session(), decision.move, Date.now(), decision.reason_code));
}

/**
 * A judge that does not answer has judged nothing: a person has to look. The failure of a local
 * activity comes as it was thrown, its time-out as one of the activity.
 */
async function judgeOrReview(input: Parameters<typeof judgeProof>[0]): Promise<rules.Judgement> {
  try {
    return await (
      input.proof === 'document' || input.proof === 'biometric' ? judgeLong : judgeProof
    )(input);
  } catch (error) {
    if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error;
    return {
      outcome: 'unsure',
      reason_code: 'provider_unavailable' satisfies TrustCheckReason,
      retryable: false,
      provider: null,
      evidence_hash: null,
    };
  }
}
