import { isCancellation, setCurrentDetails, TemporalFailure } from '@temporalio/workflow';
import { proxyJudge, proxyTrustCheck } from '../proxies.ts';
import { refuse } from '../refuse.ts';
import { describe } from './describe.ts';
import type {
  ConsentGiven,
  ReviewArgs,
  SubmitProofArgs,
  TrustCheckInput,
  TrustCheckSnapshot,
} from './messages.ts';
import * as rules from './session.ts';
import { isTrustCheckFinal, type TrustCheckMove, type TrustCheckReason } from './state.ts';

const { judgeProof } = proxyJudge();
const { decideTrustCheck, projectTrustCheck, concludeTrustCheck } = proxyTrustCheck();

/** One running check: its session and the steps that change it, one at a time. */
export interface Run {
  readonly session: () => rules.TrustCheckSession;
  readonly become: (next: rules.TrustCheckSession) => TrustCheckSnapshot;
  /** Judging awaits; what comes meanwhile waits its turn, so that no two steps interleave. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly must: (on: TrustCheckMove) => void;
  readonly close: (on: TrustCheckMove, reason: TrustCheckReason) => Promise<TrustCheckSnapshot>;
  readonly consent: (given: Omit<ConsentGiven, 'at'>) => Promise<TrustCheckSnapshot>;
  readonly attempt: (args: SubmitProofArgs) => Promise<TrustCheckSnapshot>;
  readonly review: (args: ReviewArgs) => Promise<TrustCheckSnapshot>;
}

/**
 * A judge that does not answer has judged nothing: a person has to look. The failure of a local
 * activity comes as it was thrown, its time-out as one of the activity.
 */
async function judgeOrReview(input: Parameters<typeof judgeProof>[0]): Promise<rules.Judgement> {
  try {
    return await judgeProof(input);
  } catch (error) {
    if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error;
    return {
      outcome: 'unsure',
      reason_code: 'provider_unavailable',
      retryable: false,
      provider: null,
      evidence_hash: null,
    };
  }
}

export function createRun(input: TrustCheckInput): Run {
  let session = rules.newSession(input, Date.now());
  let busy: Promise<unknown> = Promise.resolve();

  const become = (next: rules.TrustCheckSession): TrustCheckSnapshot => {
    session = next;
    setCurrentDetails(describe(session));
    return session.snapshot;
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = busy.then(work);
    busy = turn.catch(() => undefined);
    return turn;
  };
  const settle = async (): Promise<TrustCheckSnapshot> => {
    if (isTrustCheckFinal(session.snapshot.status)) await concludeTrustCheck(session.snapshot);
    else await projectTrustCheck(session.snapshot);
    return session.snapshot;
  };
  const decide = async (): Promise<void> => {
    become(rules.move(session, 'decide', Date.now()));
    const decision = await decideTrustCheck({
      snapshot: session.snapshot,
      review_on_unsure: input.review_on_unsure,
    });
    become(rules.move(session, decision.move, Date.now(), decision.reason_code));
  };
  return {
    session: () => session,
    become,
    inTurn,
    must(on) {
      if (rules.mayMove(session, on)) return;
      refuse('invalid_state', `the check is ${session.snapshot.status}`);
    },
    async close(on, reason) {
      if (!rules.mayMove(session, on)) return session.snapshot;
      become(rules.move(session, on, Date.now(), reason));
      return settle();
    },
    async consent(given) {
      if (!rules.mayMove(session, 'consent')) return session.snapshot;
      become(rules.giveConsent(session, given, Date.now()));
      return given.accepted ? session.snapshot : settle();
    },
    async attempt(args) {
      // The turn may have come after a decision: then the state says so and nothing is judged.
      if (!rules.mayAttempt(session, args.proof)) return session.snapshot;
      become(rules.beginAttempt(session, args.proof, Date.now()));
      const judgement = await judgeOrReview({
        link_session_id: input.link_session_id,
        submission_id: args.submission_id,
        proof: args.proof,
        attempt: rules.proofOf(session, args.proof)?.attempt ?? 1,
        device_id: session.snapshot.device_id,
      });
      become(rules.settleAttempt(session, args.proof, judgement, Date.now()));
      if (session.snapshot.status === 'collecting' && rules.allDecided(session)) await decide();
      return settle();
    },
    async review(args) {
      if (session.snapshot.status !== 'in_review') return session.snapshot;
      if (args.decision !== 'retry')
        become(rules.settleReviewed(session, args.decision, Date.now()));
      const on = ({ approve: 'pass', reject: 'fail', retry: 'ask_again' } as const)[args.decision];
      const reason = args.decision === 'reject' ? 'review_rejected' : null;
      const { review_id } = args;
      become(rules.move(session, on, Date.now(), reason, review_id ? { review_id } : {}));
      return settle();
    },
  };
}
