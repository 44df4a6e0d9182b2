import {
  isGrpcServiceError,
  type Client,
  type WorkflowHandle,
  type WorkflowUpdateHandle,
} from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import * as messages from '../../../workflows/trust-check/messages.ts';
import { eventually } from '../platform/harness.ts';

/**
 * Restarts a check's workflow with short workflow tasks. It then reports accepted updates soon,
 * even while one of its steps waits.
 */
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
        timers: { unopenedMs: 600_000, idleMs: 600_000, hardMs: 600_000 },
      },
    ],
  });
}

/** Two updates. The second is accepted while the first still waits for the row lock. */
export interface InTurn<
  First extends [unknown, ...unknown[]],
  Args extends [unknown, ...unknown[]],
> {
  readonly first: UpdateDefinition<messages.TrustCheckSnapshot, First>;
  readonly firstArgs: First;
  readonly update: UpdateDefinition<messages.TrustCheckSnapshot, Args>;
  readonly args: Args;
}

/**
 * Locks a check's row, and so blocks a step of its workflow, until a second step waits behind it.
 */
export async function acceptInTurn<
  First extends [unknown, ...unknown[]],
  Args extends [unknown, ...unknown[]],
>(
  db: Db,
  handle: WorkflowHandle,
  linkSessionId: string,
  { first, firstArgs, update, args }: InTurn<First, Args>,
) {
  const holder = await db.connect();
  try {
    await holder.query('BEGIN');
    const hold = 'SELECT 1 FROM trust_checks WHERE link_session_id = $1 FOR UPDATE';
    await holder.query(hold, [linkSessionId]);
    const before = await letIn(handle, first, firstArgs);
    const step = await letIn(handle, update, args);
    await holder.query('COMMIT');
    return { before, step };
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}

/** Submits an update until it is accepted: a short workflow task may time out. */
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
