import {
  isGrpcServiceError,
  type WorkflowHandle,
  type WorkflowUpdateHandle,
} from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import { randomIds } from '../../db/ids.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import * as messages from '../../workflows/trust-check/messages.ts';
import { eventually } from '../harness.ts';
import { newLink, type Scenario, type Stage } from './scenario.ts';

/** A step that comes while another is at work, and has its turn after it. */
export const turnScenarios: readonly Scenario[] = [
  {
    type: 'trustCheck',
    scenario: 'pair-waits',
    play: pairWaits,
    ends: { status: 'canceled', reason_code: 'requester_canceled' },
  },
];

/** The row is held, and with it the catch-up, until the phone has been let in behind it. */
async function pairWaits(stage: Stage): Promise<string> {
  const { workflowId, id, handle } = await restarted(stage);
  await handle.executeUpdate(messages.openUpdate, { args: [{}] });
  const holder = await stage.db.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM trust_checks WHERE link_session_id = $1 FOR UPDATE', [id]);
    const caughtUp = await accepted(handle, messages.catchUpUpdate, [{}]);
    const pairing = { device_id: null, poly_user_id: null };
    const paired = await accepted(handle, messages.pairUpdate, [pairing]);
    await holder.query('COMMIT');
    await caughtUp.result();
    await paired.result();
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
  await handle.executeUpdate(messages.cancelUpdate, { args: [{ reason: 'requester_canceled' }] });
  return workflowId;
}

/** A check whose workflow says soon what it has accepted, also while a step of it waits. */
async function restarted(stage: Stage) {
  const { link_uuid } = await newLink(stage);
  const { link_session_id: id } = await stage.call<{ link_session_id: string }>(
    'POST',
    '/v2/trust-checks',
    { body: { link_uuid, client: 'web' } },
  );
  const workflowId = messages.trustCheckWorkflowId(id);
  await stage.client.workflow.getHandle(workflowId).terminate('for shorter workflow tasks');
  const handle = await stage.client.workflow.start('trustCheck', {
    workflowId,
    taskQueue: taskQueues.core,
    workflowTaskTimeout: '2s',
    args: [
      {
        link_session_id: id,
        account_id: stage.facts.own.account_id,
        proofs: ['phone'],
        attempts_max: 3,
        review_on_unsure: false,
        timers: { unopenedMs: 600_000, idleMs: 600_000, hardMs: 600_000 },
      },
    ],
  });
  return { workflowId, id, handle };
}

/** Hands in an update until it is let in: a short workflow task may run out of its time. */
async function accepted<Args extends [unknown, ...unknown[]]>(
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
