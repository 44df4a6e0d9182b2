import {
  isGrpcServiceError,
  type Client,
  type WorkflowHandle,
  type WorkflowUpdateHandle,
} from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import type { Db } from '../db/client.ts';
import { randomIds } from '../db/ids.ts';
import { taskQueues } from '../workflows/task-queues.ts';
import * as messages from '../workflows/trust-check/messages.ts';
import { eventually } from './harness.ts';

/** Starts a check's workflow anew, so that it says soon what it has let in, also while a step of it waits. */
export async function restartWithShortTasks(
  client: Client,
  check: { readonly link_session_id: string; readonly account_id: number },
): Promise<WorkflowHandle> {
  const workflowId = messages.trustCheckWorkflowId(check.link_session_id);
  await client.workflow.getHandle(workflowId).terminate('for shorter workflow tasks');
  return client.workflow.start('trustCheck', {
    workflowId,
    taskQueue: taskQueues.core,
    workflowTaskTimeout: '2s',
    args: [
      {
        ...check,
        proofs: ['phone'],
        attempts_max: 3,
        review_on_unsure: false,
        timers: { unopenedMs: 600_000, idleMs: 600_000, hardMs: 600_000 },
      },
    ],
  });
}

/** Holds a check's row, and with it the catch-up of its workflow, until a step has been let in behind it. */
export async function letInDuringCatchUp<Args extends [unknown, ...unknown[]]>(
  db: Db,
  handle: WorkflowHandle,
  linkSessionId: string,
  update: UpdateDefinition<messages.TrustCheckSnapshot, Args>,
  args: Args,
) {
  const holder = await db.connect();
  try {
    await holder.query('BEGIN');
    const hold = 'SELECT 1 FROM trust_checks WHERE link_session_id = $1 FOR UPDATE';
    await holder.query(hold, [linkSessionId]);
    const caughtUp = await letIn(handle, messages.catchUpUpdate, [{}]);
    const step = await letIn(handle, update, args);
    await holder.query('COMMIT');
    return { caughtUp, step };
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}

/** Hands in an update until it is let in: a short workflow task may run out of its time. */
async function letIn<Args extends [unknown, ...unknown[]]>(
  handle: WorkflowHandle,
  update: UpdateDefinition<messages.TrustCheckSnapshot, Args>,
  args: Args,
): Promise<WorkflowUpdateHandle<messages.TrustCheckSnapshot>> {
  const options = { args, updateId: randomIds.uuid(), waitForStage: 'ACCEPTED' as const };
  return eventually('an update that is let in', () =>
    handle.startUpdate(update, options).catch((error: unknown) => {
      if (isGrpcServiceError((error as Error).cause)) return false;
      throw error;
    }),
  );
}
