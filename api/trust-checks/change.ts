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

export type ChangeDeps = Pick<Deps, 'db' | 'temporal' | 'ids' | 'clock'>;

/**
 * Changes a session the only way there is: by an update of its workflow. The answer is the new
 * snapshot, which is projected at once, so that whoever reads next sees it. One that is refused by
 * a workflow that was left behind its record is asked again once the workflow has caught up.
 * @param updateId names the change over retries
 */
export async function change<Args extends [unknown, ...unknown[]]>(
  deps: ChangeDeps,
  linkSessionId: string,
  update: UpdateDefinition<TrustCheckSnapshot, Args>,
  args: Args,
  updateId: string,
): Promise<TrustCheckRow> {
  const id = trustCheckWorkflowId(linkSessionId);
  const send = () => deps.temporal.update(id, update, args, updateId);
  const snapshot = await send().catch(async (refused: unknown) => {
    const ahead = isStateRefused(refused) ? await reconcile(deps, linkSessionId) : null;
    if (!ahead) throw refused;
    const catchUpId = `${updateId}/catch-up/${ahead.version}`;
    await deps.temporal.update(id, catchUpUpdate, [{}], catchUpId);
    return send();
  });
  return projectAnswer(deps, snapshot);
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
  },
): Promise<TrustCheckRow> {
  const { update, args, updateId, requestId } = step;
  const start = startOf(session, deps.settings.timers, requestId);
  const snapshot = await deps.temporal.startWithUpdate('trustCheck', start, update, args, updateId);
  return projectAnswer(deps, snapshot);
}
