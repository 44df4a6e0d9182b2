import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '../../../db/client.ts';
import {
  addMember,
  hasOtherAdmin,
  lockMember,
  removeMember,
  setMemberRoles,
} from '../../../db/queries/memberships.ts';
import { hasRole, rolesIn, type AuditAction, type Role } from '../../../domain/names.ts';

/** A person in the account of a provider, with the roles of their groups. */
export interface Followed {
  readonly accountId: number;
  readonly provider: string;
  readonly polyUserId: string;
  /** The lowest first; empty if no group has a role. */
  readonly roles: readonly Role[];
}

export type Note = (
  action: AuditAction,
  details: Readonly<Record<string, unknown>>,
) => Promise<void>;

/**
 * Updates a membership by the groups of its person: adds, changes or removes it. Roles that a
 * person has set stay, and the groups only limit which of them apply in this session. The same
 * holds for the last ADMIN, whom groups cannot remove from an account.
 * @returns the roles of the session, all of them in the membership; may be empty
 */
export async function followRoles(
  tx: Tx,
  { accountId, provider, polyUserId, roles }: Followed,
  now: Date,
  note: Note,
): Promise<readonly Role[]> {
  const member = await lockMember(tx, accountId, polyUserId);
  if (!member) {
    if (roles.length === 0) return [];
    if (!(await addMember(tx, accountId, polyUserId, roles, now, provider))) return [];
    await note('member.added', { provider, to: { roles } });
    return roles;
  }
  const held = rolesIn(member.roles);
  const counting = held.filter((role) => hasRole(roles, role));
  const isOwn = member.managed_by === provider;
  if (member.managed_by === null || (isOwn && isDeepStrictEqual(held, roles))) return counting;
  // A sign-in by this provider takes over the membership that another provider gave, but does not
  // end it.
  if (!isOwn && roles.length === 0) return [];
  const isAdminLost = hasRole(held, 'ADMIN') && !hasRole(roles, 'ADMIN');
  if (isAdminLost && !(await hasOtherAdmin(tx, accountId, polyUserId))) {
    if (!isOwn) await setMemberRoles(tx, accountId, polyUserId, held, provider);
    return counting;
  }
  if (roles.length === 0) {
    await removeMember(tx, accountId, polyUserId);
    await note('member.removed', { provider, from: { roles: held } });
  } else {
    await setMemberRoles(tx, accountId, polyUserId, roles, provider);
    await note('member.updated', { provider, from: { roles: held }, to: { roles } });
  }
  return roles;
}
