import { isGrpcServiceError, type WorkflowUpdateHandle } from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import { afterAll, describe, expect, it } from 'vitest';
import { randomIds } from '../../db/ids.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import * as messages from '../../workflows/trust-check/messages.ts';
import * as rules from '../../workflows/trust-check/session.ts';
import { beginSession, newLink, type Session } from '../client.ts';
import { eventually, openTestDb } from '../harness.ts';
import { loseSteps, type Step } from '../lost-steps.ts';
import { ownPlatform } from '../own-platform.ts';
import { connectClient } from '../temporal-client.ts';
import { insertUnsure } from '../unsure.ts';

const { databaseUrl, own } = ownPlatform();
const db = openTestDb(databaseUrl);
const client = await connectClient();
afterAll(async () => {
  await client.connection.close();
  await db.end();
});

type Handle = Awaited<ReturnType<typeof begin>>['handle'];

/** A session whose workflow says soon what it has accepted, also while a step of it waits. */
async function begin() {
  const session = await beginSession(await newLink());
  const workflowId = messages.trustCheckWorkflowId(session.id);
  await client.workflow.getHandle(workflowId).terminate('for shorter workflow tasks');
  const handle = await client.workflow.start('trustCheck', {
    workflowId,
    taskQueue: taskQueues.core,
    workflowTaskTimeout: '2s',
    args: [
      {
        link_session_id: session.id,
        account_id: own.account_id,
        proofs: ['phone'],
        attempts_max: 3,
        review_on_unsure: false,
        timers: { unopenedMs: 600_000, idleMs: 600_000, hardMs: 600_000 },
      },
    ],
  });
  return { session, handle };
}

const pairing = { device_id: null, poly_user_id: null };

async function opened() {
  const { session, handle } = await begin();
  await handle.executeUpdate(messages.openUpdate, { args: [{}] });
  return { session, handle };
}

/** Nobody could judge it, and the reviewer has the person try again. */
async function givenBack() {
  const { session, handle } = await opened();
  await handle.executeUpdate(messages.pairUpdate, { args: [pairing] });
  const consent = { accepted: true, tos_version: '1', claims: [] };
  await handle.executeUpdate(messages.consentUpdate, { args: [consent] });
  const submission_id = await insertUnsure(databaseUrl, session.id);
  const attempt = { proof: 'phone', submission_id } as const;
  await handle.executeUpdate(messages.submitProofUpdate, { args: [attempt] });
  const decision = { decision: 'retry', reviewer: 'rev' } as const;
  await handle.executeUpdate(messages.reviewUpdate, { args: [decision] });
  return { session, handle };
}

const canceled: Step = (session) => rules.move(session, 'cancel', Date.now(), 'requester_canceled');
const reopened: Step = (session) => rules.reopenProofs(session, Date.now());
const unsure: Step = (session) => {
  const judgement = { outcome: 'unsure', reason_code: 'provider_unavailable' } as const;
  const told = { ...judgement, retryable: false, provider: null, evidence_hash: null };
  const begun = rules.beginAttempt(session, 'phone', Date.now());
  const settled = rules.settleAttempt(begun, 'phone', told, Date.now());
  return rules.move(rules.move(settled, 'decide', Date.now()), 'review', Date.now());
};
const givenBackAgain: Step = (session) => rules.move(session, 'ask_again', Date.now());

/** Hands in an update until it is let in: a short workflow task may run out of its time. */
async function accepted<Args extends [unknown, ...unknown[]]>(
  handle: Handle,
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

/**
 * Hands in a step while the workflow catches up with its record, which the test holds until the
 * step has been let in; gives what becomes of it.
 */
async function duringCatchUp<Args extends [unknown, ...unknown[]]>(
  { id }: Session,
  handle: Handle,
  update: UpdateDefinition<messages.TrustCheckSnapshot, Args>,
  args: Args,
): Promise<messages.TrustCheckSnapshot | Error> {
  const holder = await db.connect();
  try {
    await holder.query('BEGIN');
    const hold = 'SELECT 1 FROM trust_checks WHERE link_session_id = $1 FOR UPDATE';
    await holder.query(hold, [id]);
    await accepted(handle, messages.catchUpUpdate, [{}]);
    const step = await accepted(handle, update, args);
    await holder.query('COMMIT');
    return await step.result().catch((error: unknown) => error as Error);
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}

const refused = { cause: { type: 'invalid_state', message: 'the check is canceled' } };
const ended = { status: 'canceled', reason_code: 'requester_canceled' };

describe('a step that comes while the check catches up with its record', () => {
  it('opens nothing that has ended', async () => {
    const { session, handle } = await begin();
    const onRecord = await loseSteps({ db, client }, session, canceled);
    expect(await duringCatchUp(session, handle, messages.openUpdate, [{}])).toEqual(onRecord);
    expect(await handle.result()).toEqual(ended);
  });

  it('pairs no phone with what has ended', async () => {
    const { session, handle } = await opened();
    await loseSteps({ db, client }, session, canceled);
    const answer = await duringCatchUp(session, handle, messages.pairUpdate, [pairing]);
    expect(answer).toMatchObject(refused);
    expect(await handle.result()).toEqual(ended);
  });

  it('tries nothing again that has ended', async () => {
    const { session, handle } = await givenBack();
    await loseSteps({ db, client }, session, canceled);
    const answer = await duringCatchUp(session, handle, messages.retryUpdate, [{}]);
    expect(answer).toMatchObject(refused);
    expect(await handle.result()).toEqual(ended);
  });

  it('is not lost where the record lets it be taken too', async () => {
    const { session, handle } = await givenBack();
    const onRecord = await loseSteps({ db, client }, session, reopened, unsure, givenBackAgain);
    expect(onRecord.status).toBe('requires_retry');
    const answer = await duringCatchUp(session, handle, messages.retryUpdate, [{}]);
    expect(answer).toMatchObject({ status: 'collecting', version: onRecord.version + 1 });
    const known = await handle.query(messages.snapshotQuery);
    expect(known).toEqual(answer);
    expect(known.log.slice(0, -1)).toEqual(onRecord.log);
  });
});
