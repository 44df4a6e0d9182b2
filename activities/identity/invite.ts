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

/** 30 days. An address can get a new owner, so an invitation must not stay valid for long. */
export const invitationLifeMs = 30 * 86_400_000;

interface EventSource {
  readonly ids: Ids;
  readonly now: Date;
}

/**
 * Invites an address to an account. Returns the user who holds its place until the address is
 * proved. This user is always new, so that an invitation does not reveal which addresses are known.
 * A repeated invitation lasts for another 30 days. Call it under the account's lock.
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

/** Invites a person by their id. Returns the user who holds the place until they accept. */
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
 * Gives a person the places held for them in an account, by their id or by a proved address.
 * Invitations older than 30 days give none.
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
 * Ends the invitations of a person to an account, and removes the places held for them. Returns the
 * removed places; none if the person was not invited.
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

/** Ends the invitations of a person to an account. Returns the users who hold the places. */
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
  // A query of its own: a concurrent invitation may have added its membership while this one
  // waited.
  const memberships = await listMembershipsOf(tx, taken);
  const holders = new Set(memberships.map(({ poly_user_id: id }) => id));
  const people = await lockPolyUsers(tx, [polyUserId, ...holders]);
  const person = people.find(({ poly_user_id: id }) => id === polyUserId);
  if (!person) throw new Error(`there is no person ${polyUserId}`);
  for (const holder of people) {
    if (holder !== person) await adopt(tx, deps, holder, person, true);
  }
}
