import { lockedTransaction, type Db, type Tx } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import { addAffidavit } from '../../db/queries/affidavits.ts';
import { appendEvents } from '../../db/queries/events.ts';
import { releaseLink } from '../../db/queries/link-leases.ts';
import { decideReview } from '../../db/queries/reviews.ts';
import { lockTrustCheck, writeStep, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { TrustCheckSession } from '../../workflows/trust-check/session.ts';
import { snapshotOf } from '../../workflows/trust-check/snapshot.ts';
import { isTrustCheckFinal } from '../../workflows/trust-check/state.ts';
import {
  afterStep,
  hasTaken,
  refusalOf,
  type StepAnswer,
  type TrustCheckStep,
} from '../../workflows/trust-check/steps.ts';
import { columnsOf, eventsOf, sessionOf } from './step-row.ts';
import { recordStepMetrics } from './step-metrics.ts';

export interface StepDeps {
  readonly db: Db;
  readonly ids: Ids;
  readonly clock: () => Date;
}

export interface TakeStepInput {
  readonly link_session_id: string;
  /** Id of the step. A repeat with the same id changes nothing and returns the current state. */
  readonly step_id: string;
  readonly step: TrustCheckStep;
}

/**
 * Takes one step in one transaction. Refuses a step that is illegal in the state of the row. See
 * docs/decisions/001-row-is-the-truth.md.
 */
export function takeStep(
  deps: StepDeps,
  { link_session_id, step_id, step }: TakeStepInput,
): Promise<StepAnswer> {
  return changeCheck(deps, link_session_id, nothing, (record) => record.take(step_id, step));
}

const nothing = async (): Promise<null> => null;

/** A check with a locked row. */
export interface CheckRecord {
  readonly tx: Tx;
  readonly now: Date;
  readonly row: () => TrustCheckRow;
  /** Applies a change that the transaction has made to the row itself. */
  readonly note: (change: Partial<TrustCheckRow>) => void;
  readonly take: (stepId: string, step: TrustCheckStep) => Promise<StepAnswer>;
}

/**
 * Changes a check in one transaction, under the lock of its row.
 * @param lock takes further locks, sent together with that of the row
 */
export async function changeCheck<Locked>(
  deps: StepDeps,
  linkSessionId: string,
  lock: (tx: Tx) => Promise<Locked>,
  work: (record: CheckRecord, locked: Locked) => Promise<StepAnswer>,
): Promise<StepAnswer> {
  const lockBoth = (tx: Tx) => Promise.all([lockTrustCheck(tx, linkSessionId), lock(tx)]);
  let before: TrustCheckRow | null = null;
  let after: TrustCheckRow | null = null;
  const answer = await lockedTransaction(deps.db, lockBoth, async (tx, [row, locked]) => {
    if (!row) throw new Error('the check does not exist');
    const record = createRecord(deps, tx, row);
    const answered = await work(record, locked);
    [before, after] = [row, record.row()];
    return answered;
  });
  if (before && after) reportSteps(before, after);
  return answer;
}

/** Reports after the commit, so that metrics do not count steps that were rolled back. */
function reportSteps(before: TrustCheckRow, { log }: TrustCheckRow): void {
  recordStepMetrics(log.slice(before.log.length), log, before.created_at);
}

function createRecord(deps: StepDeps, tx: Tx, locked: TrustCheckRow): CheckRecord {
  const now = deps.clock();
  let row = locked;
  return {
    tx,
    now,
    row: () => row,
    note(change) {
      row = { ...row, ...change };
    },
    async take(stepId, step) {
      const session = sessionOf(row);
      if (hasTaken(session, stepId)) return { snapshot: snapshotOf(session) };
      const refusal = refusalOf(session, step);
      if (refusal) return { snapshot: snapshotOf(session), refusal };
      const after = afterStep(session, step, stepId, now.getTime());
      if (isChanged(session, after)) row = await write(deps, { tx, now, row }, after);
      return { snapshot: snapshotOf(after) };
    },
  };
}

const isChanged = (before: TrustCheckSession, after: TrustCheckSession): boolean =>
  after.version > before.version || after.skips.length > before.skips.length;

/** Returns the answer of a step that changes nothing. */
export const answerOf = (row: TrustCheckRow): StepAnswer => ({
  snapshot: snapshotOf(sessionOf(row)),
});

/**
 * Writes a step with its events. The end of a check releases its link. A decision plans its one
 * affidavit, which a relay starts.
 */
async function write(
  deps: StepDeps,
  { tx, now, row: before }: Pick<CheckRecord, 'tx' | 'now'> & { readonly row: TrustCheckRow },
  after: TrustCheckSession,
): Promise<TrustCheckRow> {
  const { status } = after;
  const isFinal = isTrustCheckFinal(status);
  const isDecided = status === 'passed' || status === 'failed';
  const [affidavitId, linkEvents] = await Promise.all([
    isDecided ? addAffidavit(tx, before, deps.ids.make('aff'), now) : null,
    isFinal ? releaseLink(tx, { ...before, status }, now) : [],
  ]);
  const affidavit = affidavitId
    ? ({ affidavit_id: affidavitId, affidavit_status: 'pending' } as const)
    : {};
  const row = { ...before, ...columnsOf(after), ...affidavit };
  const news = after.log.slice(before.log.length);
  const states = [...after.added.slice(0, -1).map((at) => ({ ...before, ...columnsOf(at) })), row];
  const events = news.flatMap((entry, place) => eventsOf(entry, states[place] ?? row));
  await Promise.all([
    writeStep(tx, row),
    ...news.map(({ review_id, at }) => review_id && decideReview(tx, review_id, row, new Date(at))),
    appendEvents(tx, { ids: deps.ids, now }, [...events, ...linkEvents]),
  ]);
  return row;
}
