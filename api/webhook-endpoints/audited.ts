import type { WebhookEndpointRow } from '../../db/queries/webhooks.ts';

/**
 * Returns an endpoint as the audit log records it. It has only the origin of the address: the rest
 * may be a secret of the receiver, and audit entries are permanent.
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
