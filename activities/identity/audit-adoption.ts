import type { Tx } from '../../db/client.ts';
import { appendAudit } from '../../db/queries/audit.ts';
import { listMembershipsOf, type MembershipRow } from '../../db/queries/memberships.ts';
import { inAccount } from '../../db/rights/account-scope.ts';
import { rolesIn } from '../../domain/names.ts';

interface Adoption {
  readonly adoptedId: string;
  readonly adopterId: string;
  /** Memberships of both before the adoption. */
  readonly before: readonly MembershipRow[];
}

/**
 * Appends to the audit log of each account in which roles went to another person. The accounts are
 * processed in their order, so that two adoptions cannot deadlock.
 */
export async function auditAdoption(
  tx: Tx,
  { adoptedId, adopterId, before }: Adoption,
  now: Date,
): Promise<void> {
  const rolesOf = (held: readonly MembershipRow[], id: string, accountId: number): string[] =>
    held.find(({ poly_user_id, account_id }) => poly_user_id === id && account_id === accountId)
      ?.roles ?? [];
  const after = await listMembershipsOf(tx, [adopterId]);
  for (const { poly_user_id, account_id: accountId } of before) {
    if (poly_user_id !== adoptedId) continue;
    const details = {
      adopted_poly_user_id: adoptedId,
      from: { roles: rolesIn(rolesOf(before, adopterId, accountId)) },
      to: { roles: rolesIn(rolesOf(after, adopterId, accountId)) },
    };
    const entry = { accountId, actor: adopterId, objectId: adopterId, details };
    await inAccount(accountId, () => appendAudit(tx, { ...entry, action: 'member.adopted' }, now));
  }
}
