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
 * Attempts of one worker at a time, fewer than it has slots for what is light. One for which there
 * is no place comes back, and counts as none: not so soon that hundreds of them are work of their
 * own while places are held for seconds.
 */
const attemptPlaces = { most: 60, mostOfAccount: 15, retryAfterSeconds: 10 };

/** One attempt at a delivery, and its end. */
export function createWebhookActivities(deps: Omit<DeliverDeps, 'places'>): WebhookActivities {
  const places = createPlaces(attemptPlaces);
  return {
    deliverWebhook: (input) => deliver({ ...deps, places }, input.delivery_id, input.attempt),
    closeWebhookDelivery: (input) => closeDelivery(deps, input.delivery_id, input.status),
  };
}
