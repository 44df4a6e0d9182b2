import { hasRole } from '../../db/names.ts';
import type { Membership } from '../../db/queries/memberships.ts';
import type { Caller } from '../auth/caller.ts';

type Session = Extract<Caller, { kind: 'session' }>;

/**
 * What a session can go on with, of its person's memberships: all of them, or for one that came by
 * a sign-in provider that of its own account, as far as the session's roles go. What groups have
 * held back at the sign-in comes back by no other token of it.
 */
export function membershipsFor(
  { provider, accountId, roles }: Pick<Session, 'provider' | 'accountId' | 'roles'>,
  memberships: readonly Membership[],
): readonly Membership[] {
  if (provider === undefined) return memberships;
  return memberships
    .filter(({ account_id }) => account_id === accountId)
    .map((one) => ({ ...one, roles: one.roles.filter((role) => hasRole(roles, role)) }))
    .filter((one) => one.roles.length > 0);
}
