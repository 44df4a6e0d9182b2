import type { MemberRow } from '../../db/queries/memberships.ts';
import { rolesIn } from '../../domain/names.ts';

/** Returns a member as the API shows them. */
export function presentMember({ poly_user_id, kind, roles, created_at, is_pending }: MemberRow) {
  return {
    poly_user_id,
    kind,
    roles: rolesIn(roles),
    created_at: created_at.toISOString(),
    ...(is_pending ? { pending: true as const } : {}),
  };
}
