import { declineInvitation } from '../../activities/identity/invite.ts';
import { lockedTransaction, type Tx } from '../../db/client.ts';
import { lockAccount } from '../../db/queries/accounts.ts';
import { appendAudit } from '../../db/queries/audit.ts';
import { isSessionLive } from '../../db/queries/credentials.ts';
import { scopeToAccount } from '../../db/rights/account-scope.ts';
import { rolesIn } from '../../domain/names.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { accountContracts } from './contract.ts';

/**
 * Declines the caller's invitation to an account and removes the pending membership.
 * @throws Failure `not_found` without an invitation
 */
export const decline = handler(accountContracts.decline)(async (
  { path: { account_id: accountId }, caller, call },
  { db }: Pick<Deps, 'db'>,
) => {
  const { polyUserId } = caller;
  scopeToAccount(accountId);
  const { now } = call;
  const lock = (tx: Tx) => lockAccount(tx, accountId);
  await lockedTransaction(db, lock, async (tx) => {
    if (!(await isSessionLive(tx, caller, now))) throw new Failure('credential_invalid');
    const declined = await declineInvitation(tx, now, accountId, polyUserId);
    if (declined.length === 0) throw new Failure('not_found');
    for (const { poly_user_id: objectId, roles } of declined) {
      const details = { declined: true, from: { roles: rolesIn(roles) } };
      const entry = { accountId, actor: polyUserId, objectId, details };
      await appendAudit(tx, { ...entry, action: 'member.removed' }, now);
    }
  });
  return { status: 200, body: { account_id: accountId, declined: true } };
});
