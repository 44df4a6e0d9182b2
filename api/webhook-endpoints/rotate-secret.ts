import { rotateSecret as rotate } from '../../db/queries/webhooks.ts';
import { withAccountTransaction } from '../accounts/access/account-transaction.ts';
import { enterAccount } from '../accounts/access/enter.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { webhookEndpointContracts } from './contract.ts';
import { findEndpointOrThrow } from './find.ts';
import { presentEndpoint } from './present.ts';
import { currentSecret, isSecretOf, secretOf } from './secret.ts';

const rotationMs = 24 * 3600_000;

type RotateDeps = Pick<Deps, 'db' | 'sealer' | 'keys'>;

/** Gives an endpoint a new secret. The old one also signs for another day. */
export const rotateSecret = handler(webhookEndpointContracts.rotateSecret)(async (
  input,
  deps: RotateDeps,
) => {
  const { account_id, endpoint_id } = input.path;
  await enterAccount(deps, input, account_id);
  const { secret, sealed } = await secretOf(deps, account_id, endpoint_id, input.seed);
  const { now } = input.call;
  const previousExpiresAt = new Date(now.getTime() + rotationMs);
  for (;;) {
    const row = await findEndpointOrThrow(deps.db, input.path, input);
    // A repeat of the last rotation: a second one would end the secret that is still in use.
    const known = await currentSecret(deps, row);
    if (isSecretOf(deps.keys, known, endpoint_id, { seed: input.seed, now })) {
      return { status: 200, body: { ...presentEndpoint(row), secret: known } };
    }
    const change = { endpointId: endpoint_id, from: row.secret_sealed, to: sealed };
    const rotated = await withAccountTransaction(deps, input, account_id, async ({ tx, note }) => {
      const changed = await rotate(tx, { ...change, previousExpiresAt, now });
      if (changed) await note('webhook_endpoint.secret_rotated', endpoint_id, {});
      return changed;
    });
    if (rotated) return { status: 200, body: { ...presentEndpoint(rotated), secret } };
  }
});
