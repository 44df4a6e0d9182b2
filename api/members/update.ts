import { setMemberRoles } from '../../db/queries/memberships.ts';
import { rolesIn } from '../../domain/names.ts';
import { withAccountTransaction } from '../accounts/access/account-transaction.ts';
import { changesOf } from '../accounts/access/changes.ts';
import { keepAnAdmin, mayGrant, lockMemberOrThrow } from '../accounts/access/grant.ts';
import type { Deps } from '../deps.ts';
import { forgetPerson } from '../http/auth/credentials/session.ts';
import { handler } from '../http/contract.ts';
import { memberContracts } from './contract.ts';
import { presentMember } from './present.ts';

/** Changes a member's roles. The last ADMIN keeps that role. */
export const update = handler(memberContracts.update)(async (input, deps: Pick<Deps, 'db'>) => {
  const { account_id: accountId, poly_user_id: polyUserId } = input.path;
  const { roles } = input.body;
  const member = await withAccountTransaction(deps, input, accountId, async (administered) => {
    const before = await lockMemberOrThrow(administered, polyUserId);
    mayGrant(administered.caller, roles);
    const from = { roles: rolesIn(before.roles) };
    const changes = changesOf(from, { roles }, ['roles']);
    if (!changes) return before;
    await keepAnAdmin(administered, before, roles);
    await setMemberRoles(administered.tx, accountId, polyUserId, roles);
    await administered.note('member.updated', polyUserId, changes);
    return { ...before, roles };
  });
  forgetPerson(polyUserId);
  return { status: 200, body: presentMember(member) };
});
