import type { Queryable, Tx } from '../../db/client.ts';
import { findEndpoint, lockEndpoint, type WebhookEndpointRow } from '../../db/queries/webhooks.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Access } from '../http/auth/authorize.ts';

interface EndpointPath {
  readonly account_id: number;
  readonly endpoint_id: string;
}

/**
 * Returns an endpoint of this account that the caller reaches.
 * @throws Failure `not_found`
 */
export async function findEndpointOrThrow(
  on: Queryable,
  { account_id, endpoint_id }: EndpointPath,
  { reaches }: Pick<Access, 'reaches'>,
): Promise<WebhookEndpointRow> {
  const row = await findEndpoint(on, endpoint_id, account_id);
  if (!row || !reaches(row)) throw new Failure('not_found');
  return row;
}

/**
 * Returns the endpoint, locked until the transaction ends.
 * @throws Failure `not_found`
 */
export async function lockEndpointOrThrow(
  tx: Tx,
  { account_id, endpoint_id }: EndpointPath,
  { reaches }: Pick<Access, 'reaches'>,
): Promise<WebhookEndpointRow> {
  const row = await lockEndpoint(tx, endpoint_id, account_id);
  if (!row || !reaches(row)) throw new Failure('not_found');
  return row;
}
