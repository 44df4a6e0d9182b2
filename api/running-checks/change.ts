import type { UpdateDefinition } from '@temporalio/common';
import { startOf } from '../../activities/trust-checks/start.ts';
import { sessionOf } from '../../activities/trust-checks/step-row.ts';
import { findTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import {
  trustCheckWorkflowId,
  type TrustCheckSnapshot,
} from '../../workflows/trust-check/messages.ts';
import { isTrustCheckFinal } from '../../workflows/trust-check/state.ts';
import { hasTaken, refusalOf, type PlannedStep } from '../../workflows/trust-check/steps.ts';
import type { Deps } from '../deps.ts';

export type ChangeDeps = Pick<Deps, 'db' | 'temporal' | 'ids' | 'clock'>;

/**
 * Refuses a step that is illegal in the state of the row, before it is sent. Temporal returns the
 * first result for a repeated update id, even if the step has become legal by then. A check that
 * has ended is left to its workflow, which may not have recorded the end yet.
 */
export function assertLegalStep(row: TrustCheckRow, updateId: string, step: PlannedStep): void {
  if (isTrustCheckFinal(row.status) || hasTaken(row, updateId)) return;
  const refusal = refusalOf(sessionOf(row), step);
  if (refusal) throw new Failure(refusal.code, { detail: refusal.detail });
}

/**
 * Changes a check by an update of its workflow, which is one step on its row. Returns the row.
 * @param updateId identifies the step over retries
 */
export function change<Args extends [unknown, ...unknown[]]>(
  deps: ChangeDeps,
  linkSessionId: string,
  update: UpdateDefinition<TrustCheckSnapshot, Args>,
  args: Args,
  updateId: string,
): Promise<TrustCheckRow> {
  const id = trustCheckWorkflowId(linkSessionId);
  return rowAfter(deps, linkSessionId, updateId, deps.temporal.update(id, update, args, updateId));
}

/**
 * Changes a check and starts its workflow if it is not running. A later begin finds the changed
 * check.
 * @param requestId of the request that changes it
 */
export function changeFromStart<Args extends [unknown, ...unknown[]]>(
  deps: ChangeDeps & Pick<Deps, 'settings'>,
  session: TrustCheckRow,
  step: {
    readonly update: UpdateDefinition<TrustCheckSnapshot, Args>;
    readonly args: Args;
    readonly updateId: string;
    readonly requestId: string;
  },
): Promise<TrustCheckRow> {
  const { update, args, updateId, requestId } = step;
  const start = startOf(session, deps.settings.timers, requestId);
  const updated = deps.temporal.startWithUpdate('trustCheck', start, update, args, updateId);
  return rowAfter(deps, session.link_session_id, updateId, updated);
}

/**
 * Returns the row after an update. A workflow that has ended refuses an update even if the row has
 * taken its step. This happens when the response to the step was lost and a later step ended the
 * check.
 */
async function rowAfter(
  { db }: ChangeDeps,
  linkSessionId: string,
  stepId: string,
  updated: Promise<unknown>,
): Promise<TrustCheckRow> {
  const refused = await updated.then(
    () => null,
    (error: unknown) => ({ error }),
  );
  if (refused && !isRefusedState(refused.error)) throw refused.error;
  const row = await findTrustCheck(db, linkSessionId);
  if (refused && !(row && hasTaken(row, stepId))) throw refused.error;
  if (!row) throw new Failure('not_found');
  return row;
}

const isRefusedState = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'invalid_state';
