import { statement, type Queryable } from '../client.ts';
import { roles as roleNames, type Role } from '../names.ts';

/** An account a person belongs to, with the roles held there now. */
export interface Membership {
  readonly account_id: number;
  readonly name: string;
  readonly roles: readonly Role[];
}

const ofUser = statement<{ account_id: number; name: string; roles: string[] }>(
  'memberships.of_user',
  `SELECT m.account_id, a.name, m.roles FROM memberships m JOIN accounts a USING (account_id)
   WHERE m.poly_user_id = $1 AND a.disabled_at IS NULL ORDER BY m.account_id`,
);

/** The memberships of a person; those of disabled accounts are none. */
export async function listMemberships(on: Queryable, polyUserId: string): Promise<Membership[]> {
  const rows = await ofUser(on, [polyUserId]);
  return rows.map((row) => ({ ...row, roles: row.roles.filter(isRole) }));
}

function isRole(role: string): role is Role {
  return (roleNames as readonly string[]).includes(role);
}
