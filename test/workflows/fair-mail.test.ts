import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOfEmailFlow } from '../../activities/identity/email/start.ts';
import { startOfMemberInvitation } from '../../activities/identity/members/start.ts';
import { startOfInvitation } from '../../activities/links/start.ts';
import { prepareNamespace } from '../../cli/temporal/namespace.ts';
import { randomIds } from '../../db/ids.ts';
import { listUnsignaled } from '../../db/queries/email-requests.ts';
import { createDatabase, eventually } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { databaseUrl, temporalAddress } = ownPlatform();
/** Only for this file: no worker serves its queues. */
const namespace = `fair-mail-${process.pid}-${Date.now()}`;
const burst = 40;
/** Without fairness, the whole burst is served first in every round. */
const servedMax = (burst * 3) / 4;
const roundsMax = 3;
/** The value of workflow tasks in `temporal.api.enums.v1.TaskQueueType`. */
const workflowTasks = 1;

let store: Awaited<ReturnType<typeof createDatabase>>;
let client: Client;
beforeAll(async () => {
  store = await createDatabase(databaseUrl);
  await prepareNamespace({ address: temporalAddress, namespace });
  const connection = await Connection.connect({ address: temporalAddress });
  client = new Client({ connection, namespace });
});
afterAll(async () => {
  await client.connection.close();
  await store.drop();
});

/** Returns how many other workflows the server serves before this one. */
async function servedBefore(taskQueue: string, workflowId: string): Promise<number> {
  const served = new Set<string>();
  for (;;) {
    const task = await client.withDeadline(Date.now() + 60_000, () =>
      client.workflowService.pollWorkflowTaskQueue({
        namespace,
        taskQueue: { name: taskQueue },
        identity: 'test',
      }),
    );
    const id = task.workflowExecution?.workflowId;
    if (id === workflowId) return served.size;
    if (id) served.add(id);
  }
}

/** Returns how many workflows wait to be served. */
async function waiting(taskQueue: string): Promise<number> {
  const { stats } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: workflowTasks,
    reportStats: true,
  });
  return Number(stats?.approximateBacklogCount ?? 0);
}

const loginFrom = (network_blind: Buffer) => ({
  type: 'emailLogin',
  ...startOfEmailFlow({
    purpose: 'login',
    poly_user_id: null,
    address_blind: randomIds.bytes(32),
    network_blind,
  }),
});
const attachOf = (poly_user_id: string) => ({
  type: 'emailAttach',
  ...startOfEmailFlow({
    purpose: 'attach',
    poly_user_id,
    address_blind: randomIds.bytes(32),
    network_blind: null,
  }),
});
const linkOf = (account_id: number) => ({
  type: 'linkInvitation',
  ...startOfInvitation({ link_uuid: randomIds.make('lk'), account_id, app_id: 'app' }),
});
const memberOf = (account_id: number) => ({
  type: 'memberInvitation',
  ...startOfMemberInvitation({ mail_id: randomIds.make('mm'), account_id }),
});
const [network, otherNetwork] = [randomIds.bytes(32), randomIds.bytes(32)];

/** Starts a burst and one other workflow; returns how many of the burst are served before it. */
async function roundOf(
  ofMany: () => Parameters<typeof start>[1],
  ofOther: () => Parameters<typeof start>[1],
): Promise<number> {
  // Each round has its own queue: a task that is not completed returns to its queue.
  const taskQueue = `fair-${randomIds.make('tq')}`;
  for (let n = 0; n < burst; n += 1) await start(taskQueue, ofMany());
  const other = ofOther();
  await start(taskQueue, other);
  // The start returns before its task is in the queue.
  await eventually('every task', async () => (await waiting(taskQueue)) > burst);
  return servedBefore(taskQueue, other.workflowId);
}

describe('one mail of a sender during a burst of another', () => {
  it.each([
    ['of logins, by network', () => loginFrom(network), () => loginFrom(otherNetwork)],
    ['of attached addresses, by person', () => attachOf('pu_one'), () => attachOf('pu_two')],
    ['of links, by account', () => linkOf(1), () => linkOf(2)],
    ['of members, by account', () => memberOf(1), () => memberOf(2)],
    ['of a login beside links', () => linkOf(1), () => loginFrom(otherNetwork)],
  ])('is served early: %s', async (_name, ofMany, ofOther) => {
    const served = [];
    // The server places each fairness key at random: on a busy machine one round can be late.
    do served.push(await roundOf(ofMany, ofOther));
    while (served.length < roundsMax && (served.at(-1) ?? burst) >= servedMax);
    expect(Math.min(...served)).toBeLessThan(servedMax);
  });

  it('is selected early from the waiting requests', async () => {
    const insert = (id: string, blind: Buffer, ageSeconds: number) =>
      store.db.query(
        `INSERT INTO email_requests (request_id, purpose, address_blind, address_sealed, token_hash,
           browser_hash, locale, state, created_at, expires_at, network_blind, secret_version)
         VALUES ($1, 'login', $2, '', $3, $2, 'en', 'requested', now() - $5 * interval '1 second',
           now() + interval '1 minute', $4, 1)`,
        [id, randomIds.bytes(32), randomIds.bytes(32), blind, ageSeconds],
      );
    for (let n = 0; n < burst; n += 1) await insert(`er_many${n}`, network, burst - n);
    await insert('er_other', otherNetwork, 0);
    const next = await listUnsignaled(store.db, { now: new Date(), limit: 3, without: [] });
    expect(next.map(({ request_id: id }) => id)).toEqual(['er_many0', 'er_other', 'er_many1']);
  });
});

async function start(
  taskQueue: string,
  { type, ...options }: ReturnType<typeof loginFrom | typeof linkOf | typeof memberOf>,
): Promise<void> {
  await client.workflow.start(type, { ...options, taskQueue });
}
