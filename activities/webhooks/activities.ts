import type { WebhookDeliveryResult } from '../../workflows/webhook-delivery/messages.ts';
import { type DeliverDeps, closeDelivery, deliver, type DeliveryAttempt } from './deliver.ts';

export interface WebhookActivities {
  deliverWebhook(input: { delivery_id: string; attempt: number }): Promise<DeliveryAttempt>;
  closeWebhookDelivery(input: {
    delivery_id: string;
    status: WebhookDeliveryResult['status'];
  }): Promise<void>;
}

/** One attempt at a delivery, and its end. */
export function createWebhookActivities(deps: DeliverDeps): WebhookActivities {
  return {
    deliverWebhook: (input) => deliver(deps, input.delivery_id, input.attempt),
    closeWebhookDelivery: (input) => closeDelivery(deps, input.delivery_id, input.status),
  };
}
