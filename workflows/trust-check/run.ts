import { setCurrentDetails } from '@temporalio/workflow';
import { proxyTrustCheck } from '../proxies.ts';
import { refuse } from '../refuse.ts';
import { describe } from './describe.ts';
import type { TrustCheckInput, TrustCheckSnapshot } from './messages.ts';
import * as rules from './session.ts';
import { isTrustCheckFinal, type TrustCheckMove } from './state.ts';

const { projectTrustCheck, concludeTrustCheck } = proxyTrustCheck();

/** Takes one step, if it may be taken still; says whether it did and is to be put on record. */
export type Step = () => boolean | Promise<boolean>;

/** One running check: its session, and how it is changed. */
export interface Run {
  readonly input: TrustCheckInput;
  readonly session: () => rules.TrustCheckSession;
  readonly become: (next: rules.TrustCheckSession) => TrustCheckSnapshot;
  /** Judging awaits; what comes meanwhile waits its turn, so that no two steps interleave. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Takes a step that awaits nothing: at once where nobody is at work, else in turn, since what is
   * on record may be taken over meanwhile, and the step with it that was taken in between.
   */
  readonly whenFree: (
    step: () => TrustCheckSnapshot,
  ) => TrustCheckSnapshot | Promise<TrustCheckSnapshot>;
  readonly must: (on: TrustCheckMove) => void;
  /**
   * Takes a step and puts it on record. Steps of a workflow task that was lost are on record though
   * no history has them: they were seen, so they stand, and what is new is taken after them.
   */
  readonly record: (take: Step) => Promise<TrustCheckSnapshot>;
}

export function createRun(input: TrustCheckInput): Run {
  let session = rules.newSession(input, Date.now());
  let busy: Promise<unknown> = Promise.resolve();
  let working = 0;

  const become = (next: rules.TrustCheckSession): TrustCheckSnapshot => {
    session = next;
    setCurrentDetails(describe(session));
    return session.snapshot;
  };
  const project = (snapshot: TrustCheckSnapshot): Promise<TrustCheckSnapshot | null> =>
    isTrustCheckFinal(snapshot.status) ? concludeTrustCheck(snapshot) : projectTrustCheck(snapshot);
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    working += 1;
    const turn = busy.then(work).finally(() => (working -= 1));
    busy = turn.catch(() => undefined);
    return turn;
  };
  return {
    input,
    session: () => session,
    become,
    inTurn,
    whenFree: (step) => (working > 0 ? inTurn(async () => step()) : step()),
    must(on) {
      if (rules.mayMove(session, on)) return;
      refuse('invalid_state', `the check is ${session.snapshot.status}`);
    },
    async record(take) {
      while (await take()) {
        const other = await project(session.snapshot);
        if (!other) break;
        become(rules.adopt(session, other));
      }
      return session.snapshot;
    },
  };
}
