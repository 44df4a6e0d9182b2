import type { UpdateDefinition } from '@temporalio/common';
import { projectAnswer } from '../../activities/trust-checks/project.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import {
  trustCheckWorkflowId,
  type TrustCheckSnapshot,
} from '../../workflows/trust-check/messages.ts';
import { startOf } from '../../activities/trust-checks/start.ts';
import type { Deps } from '../deps.ts';

export type ChangeDeps = Pick<Deps, 'db' | 'temporal' | 'ids' | 'clock'>;

/**
 * Changes a session the only way there is: by an update of its workflow. The answer is the new
 * snapshot, which is projected at once, so that whoever reads next sees it.
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
  const snapshot = await deps.temporal.update(id, update, args, updateId);
  return projectAnswer(deps, snapshot);
}

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
