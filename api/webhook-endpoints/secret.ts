import { createHmac } from 'node:crypto';
import { secretContext } from '../../activities/webhooks/deliver.ts';
import type { WebhookEndpointRow } from '../../db/queries/webhooks.ts';
import { accountOwner } from '../../db/sealed.ts';
import type { Deps } from '../deps.ts';

/**
 * 192 bits in the form of the Standard Webhooks specification, and their sealed form. Derived from
 * the request's seed: a retry after a crash shows the secret that was kept, not another.
 */
export async function secretOf(
  { keys, sealer }: Pick<Deps, 'keys' | 'sealer'>,
  accountId: number,
  endpointId: string,
  seed: string,
): Promise<{ secret: string; sealed: Buffer }> {
  const digest = createHmac('sha256', keys.secret('webhook-secret'))
    .update(JSON.stringify([endpointId, seed]))
    .digest();
  const secret = `whsec_${digest.subarray(0, 24).toString('base64')}`;
  const owner = accountOwner(accountId);
  return { secret, sealed: await sealer.seal(owner, secretContext(endpointId), secret) };
}

/** The secret an endpoint has now. */
export async function currentSecret(
  { sealer }: Pick<Deps, 'sealer'>,
  { account_id, endpoint_id, secret_sealed }: WebhookEndpointRow,
): Promise<string> {
  const context = secretContext(endpoint_id);
  return (await sealer.open(accountOwner(account_id), context, secret_sealed)).toString();
}
