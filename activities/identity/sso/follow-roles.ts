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

/** A person in the account of a provider, whose groups hold these roles now. */
export interface Followed {
  readonly accountId: number;
  readonly provider: string;
  readonly polyUserId: string;
  /** The lowest first; none for somebody whose groups hold none. */
  readonly roles: readonly Role[];
}

export type Note = (
  action: AuditAction,
  details: Readonly<Record<string, unknown>>,
) => Promise<void>;

/**
 * Has a membership follow the groups of its person: it is made, changed and ended by them. Roles
 * that somebody has set stay as they are, and the groups only say which of them count in this
 * session; so do those of the last ADMIN, whom no group can take from an account.
 * @returns the roles the session acts with, all of them held by the membership; maybe none
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
  // What another provider gave is taken over by who signs in by this one, and is not this one's to
  // end.
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
