import type { UpdateDefinition } from '@temporalio/common';
import { projectAnswer } from '../../activities/trust-checks/project.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import {
  trustCheckWorkflowId,
  type TrustCheckSnapshot,
} from '../../workflows/trust-check/messages.ts';
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
