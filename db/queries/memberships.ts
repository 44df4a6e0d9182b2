import { roles as roleNames, type Role } from '../../domain/names.ts';
import { firstOf, statement, withTotal, type Queryable, type Tx } from '../client.ts';
import { build, prepare, total, typed } from '../prepare.ts';
import { memberships } from '../schema/accounts.ts';
import { and, sql } from '../schema/drizzle.ts';

const { account_id, poly_user_id, roles } = memberships;

/** An account of which a person is a member, with their current roles. */
export interface Membership {
  readonly account_id: number;
  readonly name: string;
  readonly roles: readonly Role[];
}

/** A stored membership; it may contain unknown role names. */
export type StoredMembership = Omit<Membership, 'roles'> & { readonly roles: readonly string[] };

const acting = `FROM memberships m JOIN accounts a USING (account_id)
   WHERE a.disabled_at IS NULL`;
const ofUser = statement<StoredMembership>(
  'memberships.of_user',
  `SELECT m.account_id, a.name, m.roles ${acting} AND m.poly_user_id = :polyUserId
     AND (m.managed_by IS NULL OR m.managed_by = :provider) ORDER BY m.created_at, m.account_id`,
);
/**
 * SQL value: the memberships of `c.poly_user_id` in order of creation. They are those that count in
 * a session without a sign-in provider.
 */
export const membershipsSql = `coalesce((
     SELECT json_agg(json_build_object('account_id', m.account_id, 'name', a.name,
       'roles', m.roles) ORDER BY m.created_at, m.account_id)
     ${acting} AND m.poly_user_id = c.poly_user_id AND m.managed_by IS NULL), '[]')`;
const belonging = statement<{ account_id: number }>(
  'memberships.belonging',
  `SELECT m.account_id FROM memberships m JOIN accounts a USING (account_id)
   WHERE m.poly_user_id = :polyUserId AND a.disabled_at IS NULL ORDER BY m.account_id`,
);

/**
 * Returns the memberships that a person can act under, oldest first. Those of disabled accounts are
 * omitted.
 * @param provider the sign-in provider of the session; roles from its groups count only there
 */
export async function listMemberships(
  on: Queryable,
  polyUserId: string,
  provider: string | null = null,
): Promise<Membership[]> {
  return asMemberships(await ofUser(on, { polyUserId, provider }));
}

/** Removes unknown roles from stored memberships. */
export function asMemberships(rows: readonly StoredMembership[]): Membership[] {
  return rows.map((row) => ({ ...row, roles: row.roles.filter(isRole) }));
}

/** Returns the accounts of which a person is a member, through any provider. */
export async function listBelonging(on: Queryable, polyUserId: string): Promise<number[]> {
  return (await belonging(on, { polyUserId })).map(({ account_id }) => account_id);
}

function isRole(role: string): role is Role {
  return (roleNames as readonly string[]).includes(role);
}

/** The roles of a person in an account, whatever the state of either. */
export interface MembershipRow {
  readonly poly_user_id: string;
  readonly account_id: number;
  readonly roles: string[];
}

const held = prepare('memberships.held', { polyUserIds: typed<readonly string[]>() }, ({ by }) =>
  build
    .select({ poly_user_id, account_id, roles })
    .from(memberships)
    .where(sql`${poly_user_id} = ANY (${by.polyUserIds})`)
    .orderBy(account_id),
);

/** Returns the memberships of some people by account, those of disabled accounts included. */
export async function listMembershipsOf(
  on: Queryable,
  polyUserIds: readonly string[],
): Promise<MembershipRow[]> {
  return held(on, { polyUserIds });
}

/** A member of an account as its list shows them. */
export interface MemberRow {
  readonly poly_user_id: string;
  readonly kind: 'cert' | 'email';
  readonly roles: readonly string[];
  /** Sign-in provider whose groups determine the roles; null if the roles were set by hand. */
  readonly managed_by: string | null;
  readonly created_at: Date;
  /**
   * True for the placeholder of a person who has not yet accepted, or not yet proved the address.
   */
  readonly is_pending: boolean;
}

const isPending = `(EXISTS (SELECT FROM invited_addresses i
  WHERE i.account_id = m.account_id AND i.poly_user_id = m.poly_user_id)
  OR EXISTS (SELECT FROM invited_people i
  WHERE i.account_id = m.account_id AND i.poly_user_id = m.poly_user_id))`;
const columns = `m.poly_user_id, u.kind, m.roles, m.managed_by, m.created_at,
  ${isPending} AS is_pending`;
const ofAccount = `FROM memberships m JOIN poly_users u USING (poly_user_id)
  WHERE m.account_id = :accountId`;
const page = statement<MemberRow>(
  'memberships.page',
  `SELECT ${columns} ${ofAccount}
   ORDER BY m.created_at, m.poly_user_id LIMIT :limit OFFSET :offset`,
);
const count = prepare('memberships.count', { account_id }, ({ equals }) =>
  build.select({ total }).from(memberships).where(equals.account_id),
);
const lock = statement<MemberRow>(
  'memberships.lock',
  `SELECT ${columns} ${ofAccount} AND m.poly_user_id = :polyUserId FOR UPDATE OF m`,
);
/**
 * A person who was adopted is another person now and cannot become a member. This does not exclude
 * an adoption in progress. A lock that would (FOR SHARE) deadlocks: it is taken after the account
 * and before the audit head, while attaching an address holds the audit head of one adoption when
 * it locks the next placeholders.
 */
const add = statement<MemberRow>(
  'memberships.add',
  `WITH added AS (
     INSERT INTO memberships (poly_user_id, account_id, roles, created_at, managed_by)
     SELECT u.poly_user_id, :accountId, :roles, :now, :managedBy FROM poly_users u
     WHERE u.poly_user_id = :polyUserId AND u.adopted_by IS NULL FOR KEY SHARE
     ON CONFLICT DO NOTHING RETURNING *
   ) SELECT ${columns} FROM added m JOIN poly_users u USING (poly_user_id)`,
);
const setRoles = statement(
  'memberships.set_roles',
  `UPDATE memberships SET roles = :roles, managed_by = :managedBy
   WHERE account_id = :accountId AND poly_user_id = :polyUserId`,
);
const remove = prepare('memberships.remove', { account_id, poly_user_id }, ({ equals }) =>
  build.delete(memberships).where(and(equals.account_id, equals.poly_user_id)),
);
const otherAdmin = statement(
  'memberships.other_admin',
  `SELECT 1 FROM memberships m WHERE m.account_id = :accountId AND m.poly_user_id <> :polyUserId
     AND m.roles && '{ADMIN,POLYADMIN}' AND NOT ${isPending} LIMIT 1`,
);

/** Returns a page of an account's members, oldest first, and the total count. */
export async function listMembers(
  on: Queryable,
  accountId: number,
  [limit, offset]: readonly [number, number],
) {
  return withTotal(page(on, { accountId, limit, offset }), count(on, { account_id: accountId }));
}

/** Returns a member, locked until the transaction ends. */
export async function lockMember(
  tx: Tx,
  accountId: number,
  polyUserId: string,
): Promise<MemberRow | null> {
  return firstOf(await lock(tx, { accountId, polyUserId }));
}

/**
 * Adds a member. Returns null if the person does not exist or is already a member.
 * @param managedBy the sign-in provider whose groups determine the roles
 */
export async function addMember(
  tx: Tx,
  accountId: number,
  polyUserId: string,
  roles: readonly Role[],
  now: Date,
  managedBy: string | null = null,
): Promise<MemberRow | null> {
  return firstOf(await add(tx, { polyUserId, accountId, roles, now, managedBy }));
}

/** Sets roles by hand, so they no longer follow a provider. */
export async function setMemberRoles(
  tx: Tx,
  accountId: number,
  polyUserId: string,
  roles: readonly Role[],
  managedBy: string | null = null,
): Promise<void> {
  await setRoles(tx, { accountId, polyUserId, roles, managedBy });
}

export async function removeMember(tx: Tx, accountId: number, polyUserId: string): Promise<void> {
  await remove(tx, { account_id: accountId, poly_user_id: polyUserId });
}

/**
 * Returns true if an account has an ADMIN besides this person; placeholders do not count. The
 * caller holds the lock of the account.
 */
export async function hasOtherAdmin(
  tx: Tx,
  accountId: number,
  polyUserId: string,
): Promise<boolean> {
  return (await otherAdmin(tx, { accountId, polyUserId })).length > 0;
}
