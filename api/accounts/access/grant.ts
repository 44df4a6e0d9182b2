import { hasOtherAdmin, lockMember, type MemberRow } from '../../../db/queries/memberships.ts';
import { hasRole, rolesIn, type Role } from '../../../domain/names.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { AccountTransaction } from './account-transaction.ts';

/**
 * Returns a member under lock, to be changed.
 * @throws Failure `not_found`; `role_required` for a member with more rights than the caller
 */
export async function lockMemberOrThrow(
  { tx, account, caller }: AccountTransaction,
  polyUserId: string,
): Promise<MemberRow> {
  const member = await lockMember(tx, account.account_id, polyUserId);
  if (!member) throw new Failure('not_found');
  mayGrant(caller, rolesIn(member.roles));
  return member;
}

/**
 * Requires that the caller has every role they grant.
 * @throws Failure `role_required`
 */
export function mayGrant(
  { roles: held }: { readonly roles: readonly Role[] },
  given: readonly Role[],
): void {
  if (given.every((role) => hasRole(held, role))) return;
  throw new Failure('role_required', {
    detail: 'The caller cannot grant a role that it does not have',
  });
}

/** @throws Failure `last_admin` if the change leaves the account without an ADMIN */
export async function keepAnAdmin(
  { tx, account }: Pick<AccountTransaction, 'tx' | 'account'>,
  member: MemberRow,
  after: readonly Role[],
): Promise<void> {
  if (!hasRole(member.roles, 'ADMIN') || hasRole(after, 'ADMIN')) return;
  if (await hasOtherAdmin(tx, account.account_id, member.poly_user_id)) return;
  throw new Failure('last_admin');
}
