import { isDeepStrictEqual } from 'node:util';
import { blindOf } from '../../activities/email/requests.ts';
import { inviteAddress } from '../../activities/identity/invite.ts';
import { knownRoles } from '../../db/names.ts';
import { addMember, lockMember } from '../../db/queries/memberships.ts';
import { Failure } from '../../workflows/failures.ts';
import { administer } from '../accounts/administer.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { memberContracts } from './contract.ts';
import { mayGrant } from './grant.ts';
import { presentMember } from './present.ts';

type InviteDeps = Pick<Deps, 'db' | 'ids' | 'sealer'>;

/**
 * Makes a person, or whoever will prove an address, a member; one who is, with these very roles, is
 * answered as one who became it. Whose an address is, is not asked.
 */
export const invite = handler(memberContracts.invite)(async (input, deps: InviteDeps) => {
  const { account_id: accountId } = input.path;
  const { poly_user_id: named, email, roles } = input.body;
  const { now } = input.call;
  const member = await administer(deps, input, accountId, async ({ tx, caller, note }) => {
    mayGrant(caller, roles);
    const told = { ids: deps.ids, now };
    const blind = email && blindOf(deps.sealer, email);
    const polyUserId = blind ? await inviteAddress(tx, told, accountId, blind) : (named ?? '');
    const added = await addMember(tx, accountId, polyUserId, roles, now);
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
