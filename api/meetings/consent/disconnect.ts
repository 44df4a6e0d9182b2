import { readTenant } from '../../../activities/meetings/platforms/consent.ts';
import { disconnectPlatformAccount } from '../../../db/queries/platform-accounts.ts';
import { Failure } from '../../../workflows/failures.ts';
import { withAccountTransaction } from '../../accounts/access/account-transaction.ts';
import { currentAccountOf } from '../../accounts/access/current-account.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { consentContracts } from './contract.ts';

/** Ends the connection of an organization, even if the platform is no longer configured. */
export const disconnect = handler(consentContracts.disconnect)(async (
  input,
  deps: Pick<Deps, 'db'>,
) => {
  const accountId = currentAccountOf(input.caller);
  const external_id = readTenant(input.path.external_id);
  await withAccountTransaction(deps, input, accountId, async ({ tx, note }) => {
    const ended =
      external_id && (await disconnectPlatformAccount(tx, 'conf-b', external_id, accountId));
    if (!ended) throw new Failure('not_found');
    await note('conf_b.disconnected', ended.external_id, {});
  });
  return { status: 200, body: { external_id: external_id ?? '', deleted: true } };
});
