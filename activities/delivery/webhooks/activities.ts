import type { WebhookDeliveryResult } from '../../../workflows/webhook-delivery/messages.ts';
import { createPlaces } from '../../runtime/places.ts';
import { type DeliverDeps, closeDelivery, deliver, type DeliveryAttempt } from './deliver.ts';

export interface WebhookActivities {
  deliverWebhook(input: { delivery_id: string; attempt: number }): Promise<DeliveryAttempt>;
  closeWebhookDelivery(input: {
    delivery_id: string;
    status: WebhookDeliveryResult['status'];
  }): Promise<void>;
}

/**
 * Concurrent attempts of a worker, fewer than its slots, which also serve short activities. An
 * attempt without a free place is retried later and not counted. The delay keeps hundreds of such
 * retries from becoming work of their own.
 */
const attemptPlaces = { most: 60, mostOfAccount: 15, retryAfterSeconds: 10 };

/** Returns the activities that make one delivery attempt, and that close a delivery. */
export function createWebhookActivities(deps: Omit<DeliverDeps, 'places'>): WebhookActivities {
  const places = createPlaces(attemptPlaces);
  return {
    deliverWebhook: (input) => deliver({ ...deps, places }, input.delivery_id, input.attempt),
    closeWebhookDelivery: (input) => closeDelivery(deps, input.delivery_id, input.status),
  };
}
