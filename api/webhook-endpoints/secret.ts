import { createHmac } from 'node:crypto';
import { secretContext } from '../../activities/delivery/webhooks/secret-context.ts';
import type { MasterSecrets } from '../../activities/keys/directory/master-secrets.ts';
import type { WebhookEndpointRow } from '../../db/queries/webhooks.ts';
import { accountOwner } from '../../db/sealing/sealed.ts';
import type { Deps } from '../deps.ts';

/**
 * Returns a secret of 192 bits in the form of the Standard Webhooks specification, and its sealed
 * form. It is derived from the request's seed, so a retry after a crash returns the stored secret.
 */
export async function secretOf(
  { keys, sealer }: Pick<Deps, 'sealer'> & { readonly keys: Pick<MasterSecrets, 'secret'> },
  accountId: number,
  endpointId: string,
  seed: string,
): Promise<{ secret: string; sealed: Buffer }> {
  const secret = derive(keys.secret('webhook-secret'), endpointId, seed);
  const owner = accountOwner(accountId);
  return { secret, sealed: await sealer.seal(owner, secretContext(endpointId), secret) };
}

function derive(from: Uint8Array, endpointId: string, seed: string): string {
  const digest = createHmac('sha256', from)
    .update(JSON.stringify([endpointId, seed]))
    .digest();
  return `whsec_${digest.subarray(0, 24).toString('base64')}`;
}

/** Whether the same request made a secret, possibly before a rotation of the master secret. */
export const isSecretOf = (
  keys: Pick<MasterSecrets, 'acceptedSecrets'>,
  secret: string,
  endpointId: string,
  { seed, now }: { readonly seed: string; readonly now: Date },
): boolean =>
  keys
    .acceptedSecrets('webhook-secret', now)
    .some((from) => derive(from, endpointId, seed) === secret);

/** Returns the current secret of an endpoint. */
export async function currentSecret(
  { sealer }: Pick<Deps, 'sealer'>,
  { account_id, endpoint_id, secret_sealed }: WebhookEndpointRow,
): Promise<string> {
  const context = secretContext(endpoint_id);
  return (await sealer.open(accountOwner(account_id), context, secret_sealed)).toString();
}
