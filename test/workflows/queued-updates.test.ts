import type { WorkflowHandle } from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import { afterAll, describe, expect, it } from 'vitest';
import * as messages from '../../workflows/trust-check/messages.ts';
import { acceptInTurn, restartWithShortTasks } from '../support/checks/turns.ts';
import { insertUnsure } from '../support/checks/unsure.ts';
import { beginSession, newLink, type Session } from '../support/http/client.ts';
import { openTestDb } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';
import { connectClient } from '../support/platform/temporal-client.ts';

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

/** The proof was inconclusive, and the reviewer gives the check back. */
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

/** Sends a step that waits behind a cancellation; returns the result or error of the step. */
async function behindCancel<Args extends [unknown, ...unknown[]]>(
  { id }: Session,
  handle: WorkflowHandle,
  update: UpdateDefinition<messages.TrustCheckSnapshot, Args>,
  args: Args,
): Promise<messages.TrustCheckSnapshot | Error> {
  const { before, step } = await acceptInTurn(db, handle, id, {
    first: messages.cancelUpdate,
    firstArgs: [{ reason: 'requester_canceled' }],
    update,
    args,
  });
  expect(await before.result()).toMatchObject(ended);
  return step.result().catch((error: unknown) => error as Error);
}

const refused = { cause: { type: 'invalid_state', message: 'the check is canceled' } };
const ended = { status: 'canceled', reason_code: 'requester_canceled' };

describe('a step queued behind the end of its check', () => {
  it('does not open an ended check', async () => {
    const { session, handle } = await begin();
    const answer = await behindCancel(session, handle, messages.openUpdate, [{}]);
    expect(answer).toMatchObject({ ...ended, version: 1 });
    expect(await handle.result()).toEqual(ended);
  });

  it('does not pair a phone with an ended check', async () => {
    const { session, handle } = await opened();
    const answer = await behindCancel(session, handle, messages.pairUpdate, [pairing]);
    expect(answer).toMatchObject(refused);
    expect(await handle.result()).toEqual(ended);
  });

  it('does not retry a proof of an ended check', async () => {
    const { session, handle } = await givenBack();
    const answer = await behindCancel(session, handle, messages.retryUpdate, [{}]);
    expect(answer).toMatchObject(refused);
    expect(await handle.result()).toEqual(ended);
  });
});

it('a queued step starts from the state that the previous step left', async () => {
  const { session, handle } = await begin();
  const { before, step } = await acceptInTurn(db, handle, session.id, {
    first: messages.openUpdate,
    firstArgs: [{}],
    update: messages.pairUpdate,
    args: [pairing],
  });
  expect(await before.result()).toMatchObject({ status: 'opened', version: 1 });
  const paired = await step.result();
  expect(paired).toMatchObject({ status: 'paired', version: 2 });
  expect(await handle.query(messages.snapshotQuery)).toEqual(paired);
});
