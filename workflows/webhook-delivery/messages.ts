export interface WebhookDeliveryInput {
  readonly delivery_id: string;
  /** Milliseconds before each attempt (Standard Webhooks: 0 s, 5 s, 5 min, …, 24 h). */
  readonly delaysMs: readonly number[];
}

export interface WebhookDeliveryResult {
  readonly status: 'delivered' | 'failed' | 'canceled';
  readonly attempts: number;
}

/**
 * Returns the id of a delivery's workflow: one per endpoint and event, one more for each replay.
 */
export const webhookDeliveryWorkflowId = (
  endpointId: string,
  eventId: string,
  replay: number,
): string => `webhook/${endpointId}/${eventId}${replay > 0 ? `/replay-${replay}` : ''}`;
