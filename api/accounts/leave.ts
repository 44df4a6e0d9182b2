import { lockedTransaction, type Tx } from '../../db/client.ts';
import { lockAccount } from '../../db/queries/accounts.ts';
import { appendAudit } from '../../db/queries/audit.ts';
import { isSessionLive } from '../../db/queries/credentials.ts';
import { lockMember, removeMember } from '../../db/queries/memberships.ts';
import { scopeToAccount } from '../../db/rights/account-scope.ts';
import { rolesIn } from '../../domain/names.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { forgetPerson } from '../http/auth/credentials/session.ts';
import { handler } from '../http/contract.ts';
import { keepAnAdmin } from './access/grant.ts';
import { accountContracts } from './contract.ts';

/** Ends the caller's own membership. The last ADMIN cannot leave. */
export const leave = handler(accountContracts.leave)(async (
  { path: { account_id: accountId }, caller, call },
  { db }: Pick<Deps, 'db'>,
) => {
  const { polyUserId } = caller;
  scopeToAccount(accountId);
  const { now } = call;
  const lock = (tx: Tx) => lockAccount(tx, accountId);
  await lockedTransaction(db, lock, async (tx, account) => {
    if (!(await isSessionLive(tx, caller, now))) throw new Failure('credential_invalid');
    const member = account && (await lockMember(tx, accountId, polyUserId));
    if (!member) throw new Failure('not_found');
    await keepAnAdmin({ tx, account }, member, []);
    await removeMember(tx, accountId, polyUserId);
    const details = { from: { roles: rolesIn(member.roles) } };
    const entry = { accountId, actor: polyUserId, objectId: polyUserId, details };
    await appendAudit(tx, { ...entry, action: 'member.removed' }, now);
  });
  forgetPerson(polyUserId);
  return { status: 200, body: { account_id: accountId, deleted: true } };
});
