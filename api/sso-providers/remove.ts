import { lockSsoProvider, removeSsoProvider } from '../../db/queries/sso-providers.ts';
import { nativeProvider } from '../../domain/names.ts';
import { Failure } from '../../workflows/failures.ts';
import { withAccountTransaction } from '../accounts/access/account-transaction.ts';
import { mayGrant } from '../accounts/access/grant.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { ssoProviderContracts } from './contract.ts';

/** Removes a provider with its secret. Sessions and API keys that depend on it end at once. */
export const remove = handler(ssoProviderContracts.remove)(async (
  input,
  deps: Pick<Deps, 'db'>,
) => {
  const { account_id, provider } = input.path;
  await withAccountTransaction(deps, input, account_id, async ({ tx, caller, note }) => {
    const before = await lockSsoProvider(tx, account_id, provider);
    if (!before) throw new Failure('not_found');
    mayGrant(caller, [provider === nativeProvider ? 'POLYADMIN' : before.role_ceiling]);
    await removeSsoProvider(tx, account_id, provider);
    const { kind, issuer, client_id, role_ceiling } = before;
    const from = { kind, issuer, client_id, role_ceiling };
    await note('sso_provider.removed', provider, { from });
  });
  return { status: 200, body: { provider, deleted: true } };
});
