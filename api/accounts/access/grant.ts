import { hasOtherAdmin, lockMember, type MemberRow } from '../../../db/queries/memberships.ts';
import { hasRole, rolesIn, type Role } from '../../../domain/names.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { AccountTransaction } from './account-transaction.ts';

/**
 * A member who is about to be changed, locked. Throws `not_found`, and `role_required` for one who
 * holds more than the caller.
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

/** Nobody grants more than they hold. Throws `role_required`. */
export function mayGrant(
  { roles: held }: { readonly roles: readonly Role[] },
  given: readonly Role[],
): void {
  if (given.every((role) => hasRole(held, role))) return;
  throw new Failure('role_required', {
    detail: 'The caller cannot grant a role that it does not have',
  });
}

/** Throws `last_admin` where a member stops being an ADMIN and there is no other. */
export async function keepAnAdmin(
  { tx, account }: Pick<AccountTransaction, 'tx' | 'account'>,
  member: MemberRow,
  after: readonly Role[],
): Promise<void> {
  if (!hasRole(member.roles, 'ADMIN') || hasRole(after, 'ADMIN')) return;
  if (await hasOtherAdmin(tx, account.account_id, member.poly_user_id)) return;
  throw new Failure('last_admin');
}
