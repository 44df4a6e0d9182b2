import { findKeyOf, revokeApiKey } from '../../db/queries/api-keys.ts';
import { Failure } from '../../workflows/failures.ts';
import { withAccountTransaction } from '../accounts/access/account-transaction.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { apiKeyContracts } from './contract.ts';
import { presentApiKey } from './present.ts';

/** Revokes a key, also the caller's own. The next call with it is refused. */
export const revoke = handler(apiKeyContracts.revoke)(async (input, deps: Pick<Deps, 'db'>) => {
  const { account_id: accountId, key_id: keyId } = input.path;
  const row = await withAccountTransaction(deps, input, accountId, async ({ tx, note }) => {
    const revoked = await revokeApiKey(tx, accountId, keyId, input.call.now);
    if (revoked) await note('api_key.revoked', keyId, {});
    const key = revoked ?? (await findKeyOf(tx, accountId, keyId));
    if (!key) throw new Failure('not_found');
    return key;
  });
  return { status: 200, body: presentApiKey(row) };
});
