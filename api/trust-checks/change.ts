import type { UpdateDefinition } from '@temporalio/common';
import { isLeftBehind, projectAnswer } from '../../activities/trust-checks/project.ts';
import { findTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import {
  catchUpUpdate,
  snapshotQuery,
  trustCheckWorkflowId,
  type TrustCheckSnapshot,
} from '../../workflows/trust-check/messages.ts';
import { isTrustCheckFinal } from '../../workflows/trust-check/state.ts';
import { startOf } from '../../activities/trust-checks/start.ts';
import type { Deps } from '../deps.ts';

/** Whether a step is on record, its request's and nobody else's. */
type IsTaken = (row: TrustCheckRow) => boolean;

export type ChangeDeps = Pick<Deps, 'db' | 'temporal' | 'ids' | 'clock'>;

/**
 * Changes a session the only way there is: by an update of its workflow. The answer is the new
 * snapshot, which is projected at once, so that whoever reads next sees it. One that is refused by
 * a workflow that was left behind its record is asked again once the workflow has caught up.
 * @param updateId names the change over retries
 * @param isTaken whether its step is on record: it is answered then, though the workflow refuses it
 */
export async function change<Args extends [unknown, ...unknown[]]>(
  deps: ChangeDeps,
  linkSessionId: string,
  update: UpdateDefinition<TrustCheckSnapshot, Args>,
  args: Args,
  updateId: string,
  isTaken: IsTaken = () => false,
): Promise<TrustCheckRow> {
  const id = trustCheckWorkflowId(linkSessionId);
  const send = () => deps.temporal.update(id, update, args, updateId);
  try {
    const snapshot = await send().catch(async (refused: unknown) => {
      const ahead = isStateRefused(refused) ? await reconcile(deps, linkSessionId) : null;
      if (!ahead) throw refused;
      const catchUpId = `${updateId}/catch-up/${ahead.version}`;
      await deps.temporal.update(id, catchUpUpdate, [{}], catchUpId);
      return send();
    });
    return await projectAnswer(deps, snapshot);
  } catch (error) {
    return takenOrThrow(deps, linkSessionId, isTaken, error);
  }
}

/**
 * The row of a check whose workflow refuses a step that is on record: the task that took it was
 * lost, another step made the workflow adopt it, and this one was asked again too late.
 */
async function takenOrThrow(
  deps: ChangeDeps,
  linkSessionId: string,
  isTaken: IsTaken,
  refused: unknown,
): Promise<TrustCheckRow> {
  const row = isStateRefused(refused) ? await findTrustCheck(deps.db, linkSessionId) : null;
  if (!row || !isTaken(row)) throw refused;
  return row;
}

/**
 * Writes the row of a check that was left behind its workflow, since the process that was to write
 * it died. Gives the row where it is the workflow that was left behind; else null, and of a check
 * that has ended.
 */
async function reconcile(deps: ChangeDeps, linkSessionId: string): Promise<TrustCheckRow | null> {
  const row = await findTrustCheck(deps.db, linkSessionId);
  if (!row || isTrustCheckFinal(row.status)) return null;
  const known = await deps.temporal.query(trustCheckWorkflowId(linkSessionId), snapshotQuery);
  if (isLeftBehind(known, row)) return row;
  if (known.version > row.version) await projectAnswer(deps, known);
  return null;
}

const isStateRefused = (error: unknown): boolean =>
  error instanceof Failure && (error.code === 'invalid_state' || error.code === 'consent_required');

/**
 * Changes a session whose workflow is not known to be started: should it not be, its first step is
 * this one. Whoever begins the session late then finds it as it is.
 * @param requestId of the request that changes it
 */
export async function changeFromStart<Args extends [unknown, ...unknown[]]>(
  deps: ChangeDeps & Pick<Deps, 'settings'>,
  session: TrustCheckRow,
  step: {
    readonly update: UpdateDefinition<TrustCheckSnapshot, Args>;
    readonly args: Args;
    readonly updateId: string;
    readonly requestId: string;
    readonly isTaken: IsTaken;
  },
): Promise<TrustCheckRow> {
  const { update, args, updateId, requestId, isTaken } = step;
  const start = startOf(session, deps.settings.timers, requestId);
  return deps.temporal.startWithUpdate('trustCheck', start, update, args, updateId).then(
    (snapshot) => projectAnswer(deps, snapshot),
    (error: unknown) => takenOrThrow(deps, session.link_session_id, isTaken, error),
  );
}
