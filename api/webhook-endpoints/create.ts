import { derivedId } from '../../db/ids.ts';
import { findApp } from '../../db/queries/credentials.ts';
import { addEndpointWithin, findEndpoint } from '../../db/queries/webhooks.ts';
import { Failure } from '../../workflows/failures.ts';
import { withAccountTransaction } from '../accounts/access/account-transaction.ts';
import { enterAccount } from '../accounts/access/enter.ts';
import type { Deps } from '../deps.ts';
import { reachOf } from '../http/auth/authorize.ts';
import { livemodeOfNew } from '../http/auth/livemode-of-new.ts';
import { handler, type Input } from '../http/contract.ts';
import { checkTarget } from '../http/fields/check-target.ts';
import { InvalidRequest } from '../http/problem/problem.ts';
import { auditedEndpoint } from './audited.ts';
import { webhookEndpointContracts } from './contract.ts';
import { presentEndpoint } from './present.ts';
import { currentSecret, secretOf } from './secret.ts';

type CreateDeps = Pick<Deps, 'db' | 'sealer' | 'keys' | 'settings' | 'outside'>;

/** Adds an endpoint. A repeated request after a crash gets the same endpoint and secret. */
export const create = handler(webhookEndpointContracts.create)(async (input, deps: CreateDeps) => {
  const { account_id } = input.path;
  await enterAccount(deps, input, account_id);
  await checkTarget(deps, input.body.url, 'url');
  const livemode = await modeOf(deps, input);
  const endpointId = derivedId('we', input.seed);
  const { sealed } = await secretOf(deps, account_id, endpointId, input.seed);
  const given = {
    endpoint_id: endpointId,
    account_id,
    app_id: input.body.app_id ?? null,
    livemode,
    url: input.body.url,
    types: input.body.types,
    description: input.body.description ?? null,
    secret_sealed: sealed,
    now: input.call.now,
  };
  const row = await withAccountTransaction(deps, input, account_id, async ({ tx, note }) => {
    const known = await findEndpoint(tx, endpointId, account_id);
    if (known) return known;
    const added = await addEndpointWithin(tx, given, deps.settings.webhookEndpointsMax);
    if (!added) throw new Failure('endpoint_limit');
    await note('webhook_endpoint.created', endpointId, auditedEndpoint(added));
    return added;
  });
  const secret = await currentSecret(deps, row);
  return { status: 201, body: { ...presentEndpoint(row), secret } };
});

/**
 * Returns the mode of the new endpoint, which is that of its app if it has one.
 * @throws Failure `not_found` for an app out of the caller's reach
 * @throws InvalidRequest for the other mode, and for no app if the caller's key is limited to apps
 */
async function modeOf(
  deps: Pick<Deps, 'db'>,
  { path, body, caller, reaches }: Input<typeof webhookEndpointContracts.create>,
): Promise<boolean> {
  if (body.app_id === undefined) {
    if (reachOf(caller).appIds === null) return livemodeOfNew(caller, body.livemode);
    const msg = 'Field required: the API key is limited to apps';
    throw new InvalidRequest([{ loc: ['body', 'app_id'], msg, type: 'missing' }]);
  }
  const app = await findApp(deps.db, body.app_id);
  if (app?.account_id !== path.account_id || !reaches(app)) throw new Failure('not_found');
  if (body.livemode === undefined || body.livemode === app.livemode) return app.livemode;
  const msg = `must be ${app.livemode}, as that of the app`;
  throw new InvalidRequest([{ loc: ['body', 'livemode'], msg, type: 'mode_mismatch' }]);
}
