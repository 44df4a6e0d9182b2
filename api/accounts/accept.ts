import { acceptInvitation } from '../../activities/identity/invite.ts';
import { transaction } from '../../db/client.ts';
import { isSessionLive } from '../../db/queries/credentials.ts';
import { listMemberships } from '../../db/queries/memberships.ts';
import { scopeToAccount } from '../../db/rights/account-scope.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { accountContracts } from './contract.ts';

/**
 * Accepts the caller's invitation. A repeated request gets the same response.
 * @throws Failure `not_found` without an invitation or a membership
 */
export const accept = handler(accountContracts.accept)(async (
  { path: { account_id: accountId }, caller, call },
  { db, ids }: Pick<Deps, 'db' | 'ids'>,
) => {
  const { polyUserId } = caller;
  scopeToAccount(accountId);
  const joined = await transaction(db, async (tx) => {
    if (!(await isSessionLive(tx, caller, call.now))) throw new Failure('credential_invalid');
    await acceptInvitation(tx, { ids, now: call.now }, accountId, polyUserId);
    const memberships = await listMemberships(tx, polyUserId);
    const membership = memberships.find(({ account_id }) => account_id === accountId);
    // The invitation was withdrawn in the meantime, so nothing was accepted.
    if (!membership) throw new Failure('not_found');
    return membership;
  });
  return { status: 200, body: { ...joined, roles: [...joined.roles] } };
});
