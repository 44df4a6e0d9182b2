import type { Tx } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import { lockPolyUsers } from '../../db/queries/identities.ts';
import {
  addInvited,
  renewInvited,
  takeInvited,
  type InvitedAddress,
} from '../../db/queries/invited-addresses.ts';
import {
  addInvitedPerson,
  renewInvitedPerson,
  takeInvitedPerson,
} from '../../db/queries/invited-people.ts';
import { addEmailOnlyUser } from '../../db/queries/login-emails.ts';
import {
  listMembershipsOf,
  lockMember,
  removeMember,
  type MemberRow,
} from '../../db/queries/memberships.ts';
import { adopt } from './adopt.ts';

/** An address changes hands: who proves it a year later may be somebody else. */
export const invitationLifeMs = 30 * 86_400_000;

interface EventSource {
  readonly ids: Ids;
  readonly now: Date;
}

/**
 * Who holds the place of an address in an account until it is proved: somebody made for it, known
 * or not, so that an invitation tells nobody whose addresses we know. Invited again it is for
 * another 30 days. Under the account's lock.
 */
export async function inviteAddress(
  tx: Tx,
  { ids, now }: EventSource,
  accountId: number,
  address: InvitedAddress,
): Promise<string> {
  const invited = await renewInvited(tx, accountId, address, now);
  if (invited !== null) return invited;
  const polyUserId = await addHolder(tx, { ids, now });
  await addInvited(tx, { ...address, accountId, polyUserId, createdAt: now });
  return polyUserId;
}

/** The same for a person who is invited by their id, until they accept. */
export async function invitePerson(
  tx: Tx,
  { ids, now }: EventSource,
  accountId: number,
  invitedId: string,
): Promise<string> {
  const invited = await renewInvitedPerson(tx, accountId, invitedId, now);
  if (invited !== null) return invited;
  const polyUserId = await addHolder(tx, { ids, now });
  await addInvitedPerson(tx, accountId, invitedId, polyUserId, now);
  return polyUserId;
}

async function addHolder(tx: Tx, { ids, now }: EventSource): Promise<string> {
  const holder = { polyUserId: ids.make('pu'), groupId: ids.make('ig'), createdAt: now };
  return (await addEmailOnlyUser(tx, holder)).poly_user_id;
}

/**
 * Gives a person the places that are held for them in an account, by their id or by an address they
 * have proved. An invitation of more than 30 days ago gives none.
 */
export async function acceptInvitation(
  tx: Tx,
  deps: EventSource,
  accountId: number,
  polyUserId: string,
): Promise<void> {
  const taken = await takeInvitations(tx, deps.now, accountId, polyUserId);
  if (taken.length > 0) await adoptHolders(tx, deps, taken, polyUserId);
}

/**
 * Ends the invitations of a person to an account, with the places that were held for them. Returns
 * the places that there were; none where the person was not invited.
 */
export async function declineInvitation(
  tx: Tx,
  now: Date,
  accountId: number,
  polyUserId: string,
): Promise<MemberRow[]> {
  const declined: MemberRow[] = [];
  for (const holder of await takeInvitations(tx, now, accountId, polyUserId)) {
    const member = await lockMember(tx, accountId, holder);
    if (!member) continue;
    await removeMember(tx, accountId, holder);
    declined.push(member);
  }
  return declined;
}

/** The holders of a person's places in an account, whose invitations end with it. */
async function takeInvitations(
  tx: Tx,
  now: Date,
  accountId: number,
  polyUserId: string,
): Promise<string[]> {
  const since = new Date(+now - invitationLifeMs);
  const byId = await takeInvitedPerson(tx, accountId, polyUserId, since);
  const byAddress = await takeInvited(tx, accountId, polyUserId, since);
  return byId === null ? byAddress : [byId, ...byAddress];
}

async function adoptHolders(
  tx: Tx,
  deps: EventSource,
  taken: readonly string[],
  polyUserId: string,
): Promise<void> {
  // Asked for by itself: an invitation that was waited for has made its membership since.
  const held = await listMembershipsOf(tx, taken);
  const holders = new Set(held.map(({ poly_user_id: id }) => id));
  const people = await lockPolyUsers(tx, [polyUserId, ...holders]);
  const person = people.find(({ poly_user_id: id }) => id === polyUserId);
  if (!person) throw new Error(`there is no person ${polyUserId}`);
  for (const holder of people) {
    if (holder !== person) await adopt(tx, deps, holder, person, true);
  }
}
