import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startOfMemberInvitation } from '../../../activities/identity/members/start.ts';
import {
  deliverySignal,
  linkInvitationWorkflowId,
  type DeliveryReport,
} from '../../../workflows/link-invitation/messages.ts';
import { memberInvitationWorkflowId } from '../../../workflows/member-invitation/messages.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import {
  webhookDeliveryWorkflowId,
  type WebhookDeliveryResult,
} from '../../../workflows/webhook-delivery/messages.ts';
import { eventually } from '../../support/platform/harness.ts';
import { newLink, type Scenario, type Stage } from '../scenario.ts';

/** Webhooks and invitations, through every way they end. */
export const messageScenarios: readonly Scenario[] = [
  delivery('delivered', (stage) => webhook(stage, [200]), { status: 'delivered', attempts: 1 }),
  delivery('retried', (stage) => webhook(stage, [500, 200]), { status: 'delivered', attempts: 2 }),
  delivery('gone', (stage) => webhook(stage, [410]), { status: 'failed', attempts: 1 }),
  delivery('canceled', webhookCanceled, { status: 'canceled', attempts: 2 }),
  delivery('exhausted', webhookExhausted, { status: 'failed', attempts: 3 }),
  mailing('delivered', (stage) => reported(stage, 'delivered'), 'delivered'),
  mailing('bounced', (stage) => reported(stage, 'bounced'), 'bounced'),
  mailing('deferred', (stage) => reported(stage, 'deferred', 'delivered'), 'delivered'),
  mailing('unreported', (stage) => invitation(stage, true), 'sent'),
  mailing('not-sent', (stage) => invitation(stage, false), 'failed'),
  membership('sent', mailedMember, 'sent'),
  membership('not-sent', unknownMember, 'failed'),
];

function delivery(
  scenario: string,
  play: Scenario['play'],
  ends: WebhookDeliveryResult & Record<string, unknown>,
): Scenario {
  return { type: 'webhookDelivery', scenario, play, ends };
}

function mailing(scenario: string, play: Scenario['play'], status: string): Scenario {
  return { type: 'linkInvitation', scenario, play, ends: { status } };
}

function membership(scenario: string, play: Scenario['play'], status: string): Scenario {
  return { type: 'memberInvitation', scenario, play, ends: { status } };
}

interface Delivery {
  readonly delivery_id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
}

/** An endpoint that gives these answers in turn, the last one for ever, and what is sent to it. */
async function withDelivery<T>(
  stage: Stage,
  answers: readonly number[],
  work: (delivery: Delivery) => Promise<T>,
): Promise<T> {
  const { facts, call, db } = stage;
  const left = [...answers];
  const server = createServer((request, response) => {
    request.resume();
    const status = (left.length > 1 ? left.shift() : left[0]) ?? 200;
    request.once('end', () => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const at = `/v2/accounts/${facts.own.account_id}/webhook-endpoints`;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { endpoint_id } = await call<{ endpoint_id: string }>('POST', at, {
      token: facts.own.api_key,
      body: { url, types: ['link.created'] },
    });
    await newLink(stage);
    const delivery = await eventually('the delivery', async () => {
      const { rows } = await db.query<Delivery>(
        'SELECT delivery_id, endpoint_id, event_id FROM webhook_deliveries WHERE endpoint_id = $1',
        [endpoint_id],
      );
      return rows[0];
    });
    const given = await work(delivery);
    await disable(stage, delivery);
    return given;
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function disable({ facts, call }: Stage, { endpoint_id }: Delivery): Promise<unknown> {
  const at = `/v2/accounts/${facts.own.account_id}/webhook-endpoints/${endpoint_id}`;
  return call('PATCH', at, { token: facts.own.api_key, body: { status: 'disabled' } });
}

/** Waits for the end of the workflow the relay has started for a delivery. */
async function ended({ client }: Stage, { endpoint_id, event_id }: Delivery): Promise<string> {
  const workflowId = webhookDeliveryWorkflowId(endpoint_id, event_id, 0);
  const handle = client.workflow.getHandle(workflowId);
  await eventually('its start', () => handle.describe().catch(() => null));
  await handle.result();
  return workflowId;
}

const webhook = (stage: Stage, answers: readonly number[]): Promise<string> =>
  withDelivery(stage, answers, (delivery) => ended(stage, delivery));

/** The endpoint is disabled between two attempts. */
function webhookCanceled(stage: Stage): Promise<string> {
  return withDelivery(stage, [500], async (delivery) => {
    await eventually('the first attempt', async () => {
      const { delivery_id } = delivery;
      const { rowCount } = await stage.db.query(
        'SELECT 1 FROM webhook_attempts WHERE delivery_id = $1',
        [delivery_id],
      );
      return rowCount === 1;
    });
    await disable(stage, delivery);
    return ended(stage, delivery);
  });
}

/** No attempt succeeds; with delays that can be waited for. */
function webhookExhausted(stage: Stage): Promise<string> {
  return withDelivery(stage, [500], async ({ delivery_id, endpoint_id, event_id }) => {
    const workflowId = webhookDeliveryWorkflowId(endpoint_id, event_id, 1);
    await stage.client.workflow.execute('webhookDelivery', {
      workflowId,
      taskQueue: taskQueues.core,
      args: [{ delivery_id, delaysMs: [0, 300, 300] }],
    });
    return workflowId;
  });
}

let lastMail = 0;

async function mailedLink({ facts, call }: Stage): Promise<string> {
  lastMail += 1;
  const path = `/v2/link/send/${facts.own.app_id}`;
  const body = { send_to_email: `recorded-${lastMail}@example.test`, required_proofs: ['phone'] };
  const sent = await call<{ link_uuid: string }>('POST', path, { token: facts.own.api_key, body });
  return sent.link_uuid;
}

/** The provider says these things, each once the last is noted and more is waited for. */
async function reported(
  stage: Stage,
  ...states: readonly DeliveryReport['status'][]
): Promise<string> {
  const workflowId = linkInvitationWorkflowId(await mailedLink(stage));
  const handle = stage.client.workflow.getHandle(workflowId);
  for (const [index, status] of states.entries()) {
    await eventually('the wait for a report', async () => {
      const { events } = await handle.fetchHistory();
      const waits = events?.filter(({ timerStartedEventAttributes: timer }) => timer);
      return (waits?.length ?? 0) > index;
    });
    await handle.signal(deliverySignal, { status, event_id: `recorded-${status}` });
  }
  await handle.result();
  return workflowId;
}

/** With a recipient, whose provider never says more; or without one, so that nothing can be sent. */
async function invitation(stage: Stage, hasRecipient: boolean): Promise<string> {
  const uuid = hasRecipient ? await mailedLink(stage) : (await newLink(stage)).link_uuid;
  const workflowId = linkInvitationWorkflowId(uuid);
  if (hasRecipient)
    await stage.client.workflow.getHandle(workflowId).terminate('for less patience');
  await stage.client.workflow.execute('linkInvitation', {
    workflowId,
    taskQueue: taskQueues.core,
    args: [{ link_uuid: uuid, deliveryWaitMs: 1_000 }],
  });
  return workflowId;
}

async function mailedMember({ facts, call, db }: Stage): Promise<string> {
  await call('POST', `/v2/accounts/${facts.own.account_id}/members`, {
    token: facts.own.api_key,
    body: { email: 'recorded-member@example.test', roles: ['VIEWER'] },
  });
  const { rows } = await db.query<{ mail_id: string }>('SELECT mail_id FROM member_mails');
  return memberInvitationWorkflowId(rows[0]?.mail_id ?? '');
}

/** A mail that is not there: the hand-over fails for good, as after its last attempt. */
async function unknownMember({ client, facts }: Stage): Promise<string> {
  const mail = { mail_id: 'mm_recorded', account_id: facts.own.account_id };
  const start = startOfMemberInvitation(mail);
  await client.workflow.execute('memberInvitation', start);
  return start.workflowId;
}
