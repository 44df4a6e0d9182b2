import type { WebhookEndpointRow } from '../../db/queries/webhooks.ts';

/**
 * What the audit log tells of an endpoint. Of its address the origin: the rest may be a secret of
 * the receiver's, and nothing is taken out of the log.
 */
export function auditedEndpoint(row: WebhookEndpointRow) {
  const { app_id, livemode, types, description, status } = row;
  return { origin: new URL(row.url).origin, app_id, livemode, types, description, status };
}

export const auditedFields = [
  'origin',
  'app_id',
  'livemode',
  'types',
  'description',
  'status',
] as const;
