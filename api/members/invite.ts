import { isDeepStrictEqual } from 'node:util';
import { knownRoles } from '../../db/names.ts';
import { addMember, lockMember } from '../../db/queries/memberships.ts';
import { Failure } from '../../workflows/failures.ts';
import { administer } from '../accounts/administer.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { memberContracts } from './contract.ts';
import { mayGrant } from './grant.ts';
import { presentMember } from './present.ts';

/** Makes a person a member; one who is, with these very roles, is answered as one who became it. */
export const invite = handler(memberContracts.invite)(async (input, deps: Pick<Deps, 'db'>) => {
  const { account_id: accountId } = input.path;
  const { poly_user_id: polyUserId, roles } = input.body;
  const member = await administer(deps, input, accountId, async ({ tx, caller, note }) => {
    mayGrant(caller, roles);
    const added = await addMember(tx, accountId, polyUserId, roles, input.call.now);
    if (added) {
      await note('member.added', polyUserId, { to: { roles } });
      return added;
    }
    const known = await lockMember(tx, accountId, polyUserId);
    if (!known) throw new Failure('not_found');
    if (!isDeepStrictEqual(knownRoles(known.roles), roles)) throw new Failure('already_member');
    return known;
  });
  return { status: 201, body: presentMember(member) };
});
