import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createDataConverter } from '../../activities/codec/data-converter.ts';
import { loadKeys } from '../../activities/certificates/load-keys.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import {
  beginUpdate,
  openUpdate,
  trustCheckWorkflowId,
} from '../../workflows/trust-check/messages.ts';
import { beginSession, newLink, type Session } from '../client.ts';
import { eventually } from '../harness.ts';
import { join } from 'node:path';

const { dataDir, own, temporalAddress } = inject('platform');
let connection: Connection;
let client: Client;

beforeAll(async () => {
  connection = await Connection.connect({ address: temporalAddress });
  const key = loadKeys(join(dataDir, 'keys')).secret('temporal-codec');
  client = new Client({ connection, dataConverter: createDataConverter(key, 'default', false) });
});
afterAll(() => connection.close());

/** The session's workflow begun anew, with deadlines a test can wait for. */
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
        review_on_unsure: false,
        timers,
      },
    ],
  });
  await handle.executeUpdate(beginUpdate, { args: [{ opened: false }] });
  return { session, handle };
}

const statusOf = async (session: Session) => {
  const { body } = await session.get();
  return [body['status'], body['reason_code']];
};

describe('deadlines', () => {
  it('of a session nobody opens: expired', async () => {
    const { session } = await withTimers({ unopenedMs: 1_500, idleMs: 500, hardMs: 60_000 });
    await eventually('its end', async () => (await statusOf(session))[0] === 'expired');
  });

  it('come nearer when somebody comes late and goes: abandoned, long before the first one', async () => {
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
});
