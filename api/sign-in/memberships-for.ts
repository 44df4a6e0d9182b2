import type { Membership } from '../../db/queries/memberships.ts';
import { hasRole } from '../../domain/names.ts';
import type { Caller } from '../http/auth/caller.ts';

type Session = Extract<Caller, { kind: 'session' }>;

/**
 * Returns the memberships of a session's person that the session may use. A session of a sign-in
 * provider may use that of its own account, at most with the session's roles: roles that groups
 * withheld at sign-in do not return with another token. A session limited to an account may use the
 * membership there, without rights beyond that account.
 */
export function membershipsFor(
  session: Pick<Session, 'provider' | 'accountId' | 'roles' | 'confinedTo'>,
  memberships: readonly Membership[],
): readonly Membership[] {
  const { provider, accountId, roles, confinedTo } = session;
  const own = confinedTo === undefined ? memberships : confinedIn(confinedTo, memberships);
  if (provider === undefined) return own;
  return own
    .filter(({ account_id }) => account_id === accountId)
    .map((one) => ({ ...one, roles: one.roles.filter((role) => hasRole(roles, role)) }))
    .filter((one) => one.roles.length > 0);
}

/** Returns the memberships in one account without POLYADMIN, which is no role of an account. */
export function confinedIn(accountId: number, all: readonly Membership[]): readonly Membership[] {
  return all
    .filter(({ account_id }) => account_id === accountId)
    .map((one) => ({ ...one, roles: one.roles.filter((role) => role !== 'POLYADMIN') }))
    .filter((one) => one.roles.length > 0);
}
