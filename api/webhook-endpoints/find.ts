import type { Queryable, Tx } from '../../db/client.ts';
import { findEndpoint, lockEndpoint, type WebhookEndpointRow } from '../../db/queries/webhooks.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Access } from '../http/auth/authorize.ts';

interface EndpointPath {
  readonly account_id: number;
  readonly endpoint_id: string;
}

/** An endpoint of this account that the caller reaches. Throws `not_found`. */
export async function findEndpointOrThrow(
  on: Queryable,
  { account_id, endpoint_id }: EndpointPath,
  { reaches }: Pick<Access, 'reaches'>,
): Promise<WebhookEndpointRow> {
  const row = await findEndpoint(on, endpoint_id, account_id);
  if (!row || !reaches(row)) throw new Failure('not_found');
  return row;
}

/** The same, locked until the transaction ends. Throws `not_found`. */
export async function lockEndpointOrThrow(
  tx: Tx,
  { account_id, endpoint_id }: EndpointPath,
  { reaches }: Pick<Access, 'reaches'>,
): Promise<WebhookEndpointRow> {
  const row = await lockEndpoint(tx, endpoint_id, account_id);
  if (!row || !reaches(row)) throw new Failure('not_found');
  return row;
}
