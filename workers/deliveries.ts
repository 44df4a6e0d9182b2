import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { continuing } from '../activities/tracing.ts';
import type { Db } from '../db/client.ts';
import { deliveriesChannel } from '../db/queries/events.ts';
import { listPending, markStarted, type PendingDelivery } from '../db/queries/webhooks.ts';
import { accountIdKey, flowKindKey } from '../workflows/search-attributes.ts';
import { taskQueues } from '../workflows/task-queues.ts';
import { webhookDeliveryWorkflowId } from '../workflows/webhook-delivery/messages.ts';
import type { Outbox } from './relay.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** Standard Webhooks 1.0, "Deliverability and reliability": ten attempts over about three days. */
export const deliveryDelaysMs = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];
const batchSize = 100;

/**
 * Starts the workflow of every delivery the event log has queued. The queue is a table: a relay
 * that dies between starting and marking starts again, and the workflow's id makes that harmless.
 */
export function queuedDeliveries(deps: { db: Db; client: Client }): Outbox {
  return {
    channel: deliveriesChannel,
    drain: async () => {
      for (;;) {
        const pending = await listPending(deps.db, [batchSize]);
        for (const delivery of pending) {
          await continuing(delivery.traceparent, () => start(deps.client, delivery));
          await markStarted(deps.db, [delivery.delivery_id, new Date()]);
        }
        if (pending.length < batchSize) return;
      }
    },
  };
}

async function start(client: Client, delivery: PendingDelivery): Promise<void> {
  const { endpoint_id, event_id, replay } = delivery;
  try {
    await client.workflow.start('webhookDelivery', {
      workflowId: webhookDeliveryWorkflowId(endpoint_id, event_id, replay),
      taskQueue: taskQueues.core,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      args: [{ delivery_id: delivery.delivery_id, delaysMs: deliveryDelaysMs }],
      staticSummary: `Webhook ${event_id}, account ${delivery.account_id}`,
      typedSearchAttributes: [
        { key: flowKindKey, value: 'webhookDelivery' },
        { key: accountIdKey, value: String(delivery.account_id) },
      ],
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
