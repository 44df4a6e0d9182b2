import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { linkInvitationWorkflowId } from '../../workflows/link-invitation/messages.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { call, newLink } from '../support/http/client.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';
import { connectClient } from '../support/platform/temporal-client.ts';

const { own } = ownPlatform();
let client: Client;

beforeAll(async () => {
  client = await connectClient();
});
afterAll(() => client.connection.close());

it('an invitation that cannot be sent ends as failed, and emits an event with that status', async () => {
  // A link without a recipient: sending fails for good, as after the last attempt.
  const link = await newLink();
  const uuid = link.slice(link.lastIndexOf('/') + 1).replace(/[?#].*$/, '');
  const result: unknown = await client.workflow.execute('linkInvitation', {
    workflowId: linkInvitationWorkflowId(uuid),
    taskQueue: taskQueues.core,
    args: [{ link_uuid: uuid, deliveryWaitMs: 1000 }],
  });
  expect(result).toEqual({ status: 'failed' });
  const { body } = await call('GET', `/v2/events?stream=link:${uuid}`, { token: own.api_key });
  expect((body['items'] as unknown[]).at(-1)).toMatchObject({
    type: 'link.delivery_updated',
    data: { object: { delivery_status: 'failed' } },
  });
});
