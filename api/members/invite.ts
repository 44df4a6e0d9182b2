import { isDeepStrictEqual } from 'node:util';
import { sealLoginEmail } from '../../activities/identity/email/answer.ts';
import { inviteAddress, invitePerson } from '../../activities/identity/invite.ts';
import { mailInvitation } from '../../activities/identity/members/mails.ts';
import { listAppOrigins } from '../../db/queries/apps.ts';
import { isPerson } from '../../db/queries/invited-people.ts';
import { addMember, lockMember } from '../../db/queries/memberships.ts';
import { accountOwner } from '../../db/sealing/sealed.ts';
import { rolesIn } from '../../domain/names.ts';
import { Failure } from '../../workflows/failures.ts';
import { withAccountTransaction } from '../accounts/access/account-transaction.ts';
import { enterAccount } from '../accounts/access/enter.ts';
import { mayGrant } from '../accounts/access/grant.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { assertAllowedOrigin } from '../http/fields/return-to.ts';
import { memberContracts } from './contract.ts';
import { presentMember } from './present.ts';

type InviteDeps = Pick<Deps, 'db' | 'ids' | 'sealer' | 'settings'>;

/**
 * Invites a person, who accepts in their own session, or an address, which its owner accepts by
 * proving it. Until then the membership is pending. A member with these same roles is returned
 * unchanged. The owner of an address is not looked up; a relay mails it.
 */
export const invite = handler(memberContracts.invite)(async (input, deps: InviteDeps) => {
  const { account_id: accountId } = input.path;
  const { poly_user_id: named, email, roles, locale = null, return_to: page } = input.body;
  const { now } = input.call;
  await enterAccount(deps, input, accountId);
  const returnTo = page === undefined ? null : await ownOriginOrThrow(deps, accountId, page);
  // Sealed and prepared before the transaction, which must not wait for a key.
  const address = email && (await sealLoginEmail(deps.sealer, email));
  if (email) await deps.sealer.prepare(accountOwner(accountId));
  const member = await withAccountTransaction(
    deps,
    input,
    accountId,
    async ({ tx, caller, note }) => {
      mayGrant(caller, roles);
      const eventDeps = { ids: deps.ids, now };
      const member = named === undefined ? null : await lockMember(tx, accountId, named);
      if (named !== undefined && !(await isPerson(tx, named))) throw new Failure('not_found');
      const polyUserId =
        member?.poly_user_id ??
        (address
          ? await inviteAddress(tx, eventDeps, accountId, address)
          : await invitePerson(tx, eventDeps, accountId, named ?? ''));
      const added = member ? null : await addMember(tx, accountId, polyUserId, roles, now);
      const known = member ?? added ?? (await lockMember(tx, accountId, polyUserId));
      if (!known) throw new Failure('not_found');
      if (!isDeepStrictEqual(rolesIn(known.roles), roles)) throw new Failure('already_member');
      if (email) {
        const mail = { accountId, polyUserId, address: email, locale, returnTo };
        await mailInvitation(tx, deps, mail, now);
      }
      if (added) await note('member.added', polyUserId, { to: { roles } });
      return known;
    },
  );
  return { status: 201, body: presentMember(member) };
});

/** Requires an origin of the service or of an app of the account, to prevent phishing by mail. */
async function ownOriginOrThrow(
  { db, settings }: InviteDeps,
  accountId: number,
  page: string,
): Promise<string> {
  assertAllowedOrigin(page, [...settings.origins, ...(await listAppOrigins(db, accountId))]);
  return page;
}
