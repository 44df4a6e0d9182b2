import { currentUpdateInfo, setCurrentDetails } from '@temporalio/workflow';
import { proxyTrustCheck } from '../proxies.ts';
import type { ProofType } from '../proofs.ts';
import { refuse } from '../refuse.ts';
import { describe } from './describe.ts';
import type { TrustCheckInput, TrustCheckSnapshot } from './messages.ts';
import { newSession } from './session.ts';
import { snapshotOf } from './snapshot.ts';
import { isTrustCheckFinal } from './state.ts';
import type { StepAnswer, TrustCheckStep } from './steps.ts';

const { takeStep, decideTrustCheck } = proxyTrustCheck();

/** One running check: its latest state, and the functions that take its next step. */
export interface Run {
  readonly input: TrustCheckInput;
  readonly snapshot: () => TrustCheckSnapshot;
  readonly isOver: () => boolean;
  /** Takes a step under the id of the current update. */
  readonly step: (step: TrustCheckStep) => Promise<TrustCheckSnapshot>;
  /**
   * Runs an activity that takes a step, after earlier ones. Then decides the check if that is due.
   */
  readonly inTurn: (work: () => Promise<StepAnswer>) => Promise<TrustCheckSnapshot>;
  /**
   * Runs a long activity in parallel to other steps, then applies its answer in turn. If the answer
   * is a refusal, `inTurn` runs the activity again. Activities of one proof run one after the
   * other.
   */
  readonly beside: (
    lane: ProofType,
    work: () => Promise<StepAnswer>,
  ) => Promise<TrustCheckSnapshot>;
}

export function createRun(input: TrustCheckInput): Run {
  const { link_session_id, timers } = input;
  let snapshot = snapshotOf(newSession(input, Date.now()));
  let busy: Promise<unknown> = Promise.resolve();
  const lanes = new Map<ProofType, Promise<unknown>>();

  const become = ({ snapshot: next, refusal }: StepAnswer): StepAnswer['refusal'] => {
    // Parallel activities may answer out of order: an older answer never replaces a newer snapshot.
    if (next.version >= snapshot.version) snapshot = next;
    setCurrentDetails(describe(snapshot, timers));
    return refusal;
  };
  const take = async (work: () => Promise<StepAnswer>): Promise<TrustCheckSnapshot> => {
    let refusal = become(await work());
    if (snapshot.status === 'processing') {
      become(await decideTrustCheck({ link_session_id }));
      // The step before was lost with its task, so its decision was still due. Now this step may be
      // legal.
      if (refusal) refusal = become(await work());
    }
    if (refusal) refuse(refusal.code, refusal.detail);
    return snapshot;
  };
  const inTurn: Run['inTurn'] = (work) => {
    const turn = busy.then(() => take(work));
    busy = turn.catch(() => undefined);
    return turn;
  };
  setCurrentDetails(describe(snapshot, timers));
  return {
    input,
    snapshot: () => snapshot,
    isOver: () => isTrustCheckFinal(snapshot.status),
    inTurn,
    async beside(lane, work) {
      const first = (lanes.get(lane) ?? Promise.resolve()).then(work);
      lanes.set(
        lane,
        first.catch(() => undefined),
      );
      let answer: StepAnswer | null = await first;
      return inTurn(async () => {
        const taken = answer ?? (await work());
        answer = null;
        return taken;
      });
    },
    step(step) {
      const step_id = updateId();
      return inTurn(() => takeStep({ link_session_id, step_id, step }));
    },
  };
}

/** Returns the id of the update that is being handled. A repeated update is the same step. */
export function updateId(): string {
  const info = currentUpdateInfo();
  if (!info) throw new Error('no update is being handled');
  return info.id;
}
