import { WithStartWorkflowOperation, type Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOfEmailFlow } from '../../activities/identity/email/start.ts';
import { randomIds } from '../../db/ids.ts';
import { consumeUpdate, requestUpdate } from '../../workflows/email-login/messages.ts';
import { connectClient } from '../support/platform/temporal-client.ts';

let client: Client;
beforeAll(async () => {
  client = await connectClient();
});
afterAll(() => client.connection.close());

/** A flow with its own address; its requests have no rows, so no mail is sent. */
function newFlow(windowMs: number) {
  const request = {
    purpose: 'login',
    poly_user_id: null,
    address_blind: randomIds.bytes(32),
    network_blind: null,
  } as const;
  const start = startOfEmailFlow(request, { windowMs, sendsMax: 3 });
  const ask = (request_id: string) =>
    client.workflow.executeUpdateWithStart(requestUpdate, {
      startWorkflowOperation: new WithStartWorkflowOperation('emailLogin', start),
      args: [{ request_id }],
      updateId: request_id,
    });
  const handle = client.workflow.getHandle(start.workflowId);
  const consume = (request_id: string) =>
    handle.executeUpdate(consumeUpdate, { args: [{ request_id }] });
  return { ask, consume, handle };
}

describe('the workflow of an email address', () => {
  it('ends when its latest mail is answered', async () => {
    const { ask, consume, handle } = newFlow(60_000);
    await ask('er_1');
    await ask('er_2');
    await consume('er_2');
    expect(await handle.result()).toEqual({ status: 'consumed', sends: 2 });
  });

  it('continues when a mail before the latest one is answered', async () => {
    const { ask, consume, handle } = newFlow(60_000);
    await ask('er_1');
    await ask('er_2');
    await consume('er_1');
    // If the answer ended the flow, it would refuse this request or start a new run.
    expect(await ask('er_3')).toEqual({ is_taken: true });
    await consume('er_3');
    expect(await handle.result()).toEqual({ status: 'consumed', sends: 3 });
  });

  it('starts anew after its end', async () => {
    const { ask, consume, handle } = newFlow(60_000);
    await ask('er_1');
    await consume('er_1');
    expect(await handle.result()).toEqual({ status: 'consumed', sends: 1 });
    expect(await ask('er_2')).toEqual({ is_taken: true });
    await consume('er_2');
    expect(await handle.result()).toEqual({ status: 'consumed', sends: 1 });
  });

  it('accepts three requests, drops further ones, and expires after its window', async () => {
    const { ask, handle } = newFlow(4_000);
    // In parallel: on a busy machine the window could end between two of them.
    const answers = await Promise.all(['er_1', 'er_2', 'er_3', 'er_4'].map(ask));
    expect(answers.filter(({ is_taken: isTaken }) => isTaken)).toHaveLength(3);
    expect(await handle.result()).toEqual({ status: 'expired', sends: 3 });
  });
});
