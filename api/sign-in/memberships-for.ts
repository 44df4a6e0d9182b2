import type { Membership } from '../../db/queries/memberships.ts';
import { hasRole } from '../../domain/names.ts';
import type { Caller } from '../http/auth/caller.ts';

type Session = Extract<Caller, { kind: 'session' }>;

/**
 * What a session can go on with, of its person's memberships: all of them, or for one that came by
 * a sign-in provider that of its own account, as far as the session's roles go. What groups have
 * held back at the sign-in comes back by no other token of it. One that is confined to an account
 * has the membership there, without what it gives beyond that account.
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

/** Of all that a person holds what an app of one account may have: POLYADMIN is of no account. */
export function confinedIn(accountId: number, all: readonly Membership[]): readonly Membership[] {
  return all
    .filter(({ account_id }) => account_id === accountId)
    .map((one) => ({ ...one, roles: one.roles.filter((role) => role !== 'POLYADMIN') }))
    .filter((one) => one.roles.length > 0);
}
