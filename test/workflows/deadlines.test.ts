import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taskQueues } from '../../workflows/task-queues.ts';
import {
  beginUpdate,
  consentUpdate,
  openUpdate,
  pairUpdate,
  retryUpdate,
  reviewUpdate,
  submitProofUpdate,
  trustCheckWorkflowId,
} from '../../workflows/trust-check/messages.ts';
import { insertUnsure } from '../support/checks/unsure.ts';
import { beginSession, newLink, type Session } from '../support/http/client.ts';
import { eventually } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';
import { connectClient } from '../support/platform/temporal-client.ts';
import { readWorkflowTasks } from '../support/platform/workflow-tasks.ts';

const { databaseUrl, own, temporalAddress } = ownPlatform();
let client: Client;

beforeAll(async () => {
  client = await connectClient();
});
afterAll(() => client.connection.close());

/** Restarts the workflow of a session with deadlines short enough for a test. */
async function withTimers(timers: { unopenedMs: number; idleMs: number; hardMs: number }) {
  const session = await beginSession(await newLink());
  const workflowId = trustCheckWorkflowId(session.id);
  await client.workflow.getHandle(workflowId).terminate('for other deadlines');
  const handle = await client.workflow.start('trustCheck', {
    workflowId,
    taskQueue: taskQueues.core,
    args: [
      {
        link_session_id: session.id,
        account_id: own.account_id,
        proofs: ['phone'],
        attempts_max: 3,
        timers,
      },
    ],
  });
  await handle.executeUpdate(beginUpdate, { args: [{ opened: false }] });
  return { session, handle };
}

/** Brings a check into review, and waits until all its deadlines have passed. */
async function longInReview() {
  const times = { unopenedMs: 600_000, idleMs: 3_000, hardMs: 5_000 };
  const { session, handle } = await withTimers(times);
  await handle.executeUpdate(openUpdate, { args: [{}] });
  await handle.executeUpdate(pairUpdate, { args: [{ device_id: null, poly_user_id: null }] });
  const consent = { accepted: true, tos_version: '1', claims: [] };
  await handle.executeUpdate(consentUpdate, { args: [consent] });
  const submission_id = await insertUnsure(databaseUrl, session.id);
  await handle.executeUpdate(submitProofUpdate, { args: [{ proof: 'phone', submission_id }] });
  expect((await statusOf(session))[0]).toBe('in_review');
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  return { session, handle };
}

/** Failed workflow tasks: the SDK aborts a task that never yields, and retries it. */
async function failedTasks(workflowId: string): Promise<readonly string[]> {
  const query = `WorkflowId = '${workflowId}' AND ExecutionStatus = 'Completed'`;
  const [tasks] = await eventually('the workflow in the list', async () => {
    const found = await readWorkflowTasks(temporalAddress, query);
    return found.length === 1 && found;
  });
  return tasks?.failures ?? [];
}

const statusOf = async (session: Session) => {
  const { body } = await session.get();
  return [body['status'], body['reason_code']];
};

describe('deadlines', () => {
  it('expire a session that is never opened', async () => {
    const { session } = await withTimers({ unopenedMs: 1_500, idleMs: 500, hardMs: 60_000 });
    await eventually('its end', async () => (await statusOf(session))[0] === 'expired');
  });

  it('become shorter once a session is opened, and then abandon an idle one', async () => {
    const { session, handle } = await withTimers({
      unopenedMs: 600_000,
      idleMs: 1_500,
      hardMs: 600_000,
    });
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await handle.executeUpdate(openUpdate, { args: [{}] });
    await eventually('its end', async () => (await statusOf(session))[0] === 'abandoned');
    expect(await statusOf(session)).toEqual(['abandoned', 'idle_timeout']);
  });

  it('do not apply while a check is in review', async () => {
    const { session, handle } = await longInReview();
    expect((await statusOf(session))[0]).toBe('in_review');
    await handle.executeUpdate(reviewUpdate, { args: [{ decision: 'approve', reviewer: 'rev' }] });
    expect(await handle.result()).toEqual({ status: 'passed', reason_code: null });
    expect(await failedTasks(handle.workflowId)).toEqual([]);
  });

  it('that passed during a review expire the check when it is given back', async () => {
    const { handle } = await longInReview();
    await handle.executeUpdate(reviewUpdate, { args: [{ decision: 'retry', reviewer: 'rev' }] });
    expect(await handle.result()).toEqual({ status: 'expired', reason_code: 'deadline' });
    await expect(handle.executeUpdate(retryUpdate, { args: [{}] })).rejects.toThrow();
    expect(await failedTasks(handle.workflowId)).toEqual([]);
  });
});
