import { removeMember } from '../../db/queries/memberships.ts';
import { rolesIn } from '../../domain/names.ts';
import { withAccountTransaction } from '../accounts/access/account-transaction.ts';
import { keepAnAdmin, lockMemberOrThrow } from '../accounts/access/grant.ts';
import type { Deps } from '../deps.ts';
import { forgetPerson } from '../http/auth/credentials/session.ts';
import { handler } from '../http/contract.ts';
import { memberContracts } from './contract.ts';

/** Ends a membership. The last ADMIN cannot be removed. */
export const remove = handler(memberContracts.remove)(async (input, deps: Pick<Deps, 'db'>) => {
  const { account_id: accountId, poly_user_id: polyUserId } = input.path;
  await withAccountTransaction(deps, input, accountId, async (administered) => {
    const member = await lockMemberOrThrow(administered, polyUserId);
    await keepAnAdmin(administered, member, []);
    await removeMember(administered.tx, accountId, polyUserId);
    const from = { roles: rolesIn(member.roles) };
    await administered.note('member.removed', polyUserId, { from });
  });
  forgetPerson(polyUserId);
  return { status: 200, body: { poly_user_id: polyUserId, deleted: true } };
});
