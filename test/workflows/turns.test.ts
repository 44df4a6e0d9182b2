import type { WorkflowHandle } from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import { afterAll, describe, expect, it } from 'vitest';
import * as messages from '../../workflows/trust-check/messages.ts';
import * as rules from '../../workflows/trust-check/session.ts';
import { beginSession, newLink, type Session } from '../client.ts';
import { openTestDb } from '../harness.ts';
import { loseSteps, type Step } from '../lost-steps.ts';
import { ownPlatform } from '../own-platform.ts';
import { connectClient } from '../temporal-client.ts';
import { letInDuringCatchUp, restartWithShortTasks } from '../turns.ts';
import { insertUnsure } from '../unsure.ts';

const { databaseUrl, own } = ownPlatform();
const db = openTestDb(databaseUrl);
const client = await connectClient();
afterAll(async () => {
  await client.connection.close();
  await db.end();
});

async function begin() {
  const session = await beginSession(await newLink());
  const check = { link_session_id: session.id, account_id: own.account_id };
  return { session, handle: await restartWithShortTasks(client, check) };
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

/**
 * Hands in a step while the workflow catches up with its record, which the test holds until the
 * step has been let in; gives what becomes of it.
 */
async function duringCatchUp<Args extends [unknown, ...unknown[]]>(
  { id }: Session,
  handle: WorkflowHandle,
  update: UpdateDefinition<messages.TrustCheckSnapshot, Args>,
  args: Args,
): Promise<messages.TrustCheckSnapshot | Error> {
  const { step } = await letInDuringCatchUp(db, handle, id, update, args);
  return step.result().catch((error: unknown) => error as Error);
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
