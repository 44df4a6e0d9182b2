import { removeMember } from '../../db/queries/memberships.ts';
import { knownRoles } from '../../domain/names.ts';
import { administer } from '../accounts/access/administer.ts';
import { keepAnAdmin, mustLockMember } from '../accounts/access/grant.ts';
import type { Deps } from '../deps.ts';
import { forgetPerson } from '../http/auth/credentials/session.ts';
import { handler } from '../http/contract.ts';
import { memberContracts } from './contract.ts';

/** Ends a membership; the last ADMIN stays. */
export const remove = handler(memberContracts.remove)(async (input, deps: Pick<Deps, 'db'>) => {
  const { account_id: accountId, poly_user_id: polyUserId } = input.path;
  await administer(deps, input, accountId, async (administered) => {
    const member = await mustLockMember(administered, polyUserId);
    await keepAnAdmin(administered, member, []);
    await removeMember(administered.tx, accountId, polyUserId);
    const from = { roles: knownRoles(member.roles) };
    await administered.note('member.removed', polyUserId, { from });
  });
  forgetPerson(polyUserId);
  return { status: 200, body: { poly_user_id: polyUserId, deleted: true } };
});
