import type { Client } from '@temporalio/client';
import { continuing } from '../../../activities/runtime/tracing.ts';
import type { Db } from '../../../db/client.ts';
import { deliveriesChannel } from '../../../db/queries/events.ts';
import { listPending, markStarted, type PendingDelivery } from '../../../db/queries/webhooks.ts';
import { accountIdKey, flowKindKey } from '../../../workflows/search-attributes.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { webhookDeliveryWorkflowId } from '../../../workflows/webhook-delivery/messages.ts';
import type { Outbox } from '../relay.ts';
import { dispatchOutbox, type DispatchDeps } from '../outbox-dispatcher.ts';

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

/**
 * Starts the workflow of every queued delivery. A relay that dies between start and mark starts
 * again, which is harmless because of the workflow's id.
 */
export function queuedDeliveries(
  deps: DispatchDeps & { readonly db: Db; readonly client: Client },
): Outbox {
  const queued = {
    list: (lengthMax: number, without: readonly string[]) =>
      listPending(deps.db, { limit: lengthMax, without }),
    idOf: ({ delivery_id }: PendingDelivery) => delivery_id,
    start: (delivery: PendingDelivery) =>
      continuing(delivery.traceparent, () => start(deps.client, delivery)),
    mark: ({ delivery_id }: PendingDelivery) => markStarted(deps.db, [delivery_id, deps.clock()]),
  };
  return {
    channel: deliveriesChannel,
    countedAs: 'deliveries',
    drain: (signal) => dispatchOutbox(queued, deps, signal),
  };
}

async function start(client: Client, delivery: PendingDelivery): Promise<void> {
  const { endpoint_id, event_id, replay } = delivery;
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
}
