import type { WebhookEndpointRow } from '../../db/queries/webhooks.ts';
import { Failure } from '../../workflows/failures.ts';

/**
 * Returns an endpoint without its secret.
 * @throws Failure `not_found` for a removed one
 */
export function presentEndpoint(row: WebhookEndpointRow) {
  const { status } = row;
  if (status === 'removed') throw new Failure('not_found');
  return {
    endpoint_id: row.endpoint_id,
    account_id: row.account_id,
    app_id: row.app_id,
    livemode: row.livemode,
    url: row.url,
    types: row.types,
    description: row.description,
    status,
    disabled_reason: row.disabled_reason,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
