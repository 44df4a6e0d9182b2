import { firstOf, statement, withTotal, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { invitedPeople } from '../schema/accounts.ts';
import { getTableColumns } from '../schema/drizzle.ts';

/** An invitation as the invited person sees it. */
export interface InvitationRow {
  readonly account_id: number;
  readonly name: string;
  readonly roles: readonly string[];
  readonly created_at: Date;
}

const renew = statement<{ poly_user_id: string }>(
  'invited_people.renew',
  `UPDATE invited_people SET created_at = :now
   WHERE account_id = :accountId AND invited_id = :invitedId RETURNING poly_user_id`,
);
const add = prepare('invited_people.add', getTableColumns(invitedPeople), ({ by }) =>
  build.insert(invitedPeople).values(by),
);
const take = statement<{ poly_user_id: string }>(
  'invited_people.take',
  `DELETE FROM invited_people
   WHERE account_id = :accountId AND invited_id = :invitedId AND created_at > :since
     RETURNING poly_user_id`,
);
const isThere = statement<{ poly_user_id: string }>(
  'invited_people.person',
  'SELECT poly_user_id FROM poly_users WHERE poly_user_id = :polyUserId AND adopted_by IS NULL',
);
/**
 * Invitations of a person by id and by each proved address. An invitation ends when its placeholder
 * loses the membership. Of two invitations to one account only the newer one is listed.
 */
const open = `FROM (
     SELECT DISTINCT ON (i.account_id) i.account_id, a.name, m.roles, i.created_at
     FROM (
       SELECT account_id, poly_user_id, created_at FROM invited_people WHERE invited_id = :invitedId
       UNION ALL
       SELECT v.account_id, v.poly_user_id, v.created_at FROM invited_addresses v
       JOIN login_emails e USING (email_blind) JOIN poly_users u ON u.poly_user_id = e.poly_user_id
       WHERE e.status = 'ACTIVE' AND u.identity_group_id =
         (SELECT identity_group_id FROM poly_users WHERE poly_user_id = :invitedId)
     ) i JOIN accounts a USING (account_id)
     JOIN memberships m ON m.account_id = i.account_id AND m.poly_user_id = i.poly_user_id
     WHERE i.created_at > :since AND a.disabled_at IS NULL
     ORDER BY i.account_id, i.created_at DESC
   ) i`;
const page = statement<InvitationRow>(
  'invited_people.page',
  `SELECT i.* ${open}
   ORDER BY i.created_at DESC, i.account_id LIMIT :limit OFFSET :offset`,
);
const count = statement<{ total: number }>(
  'invited_people.count',
  `SELECT count(*)::int AS total ${open}`,
);

/** Returns true if a person with this id exists and was not adopted by another person. */
export async function isPerson(on: Queryable, polyUserId: string): Promise<boolean> {
  return (await isThere(on, { polyUserId })).length > 0;
}

/** Renews an invitation. Returns its placeholder person; null if the person is not invited. */
export async function renewInvitedPerson(
  tx: Tx,
  accountId: number,
  invitedId: string,
  now: Date,
): Promise<string | null> {
  return firstOf(await renew(tx, { accountId, invitedId, now }))?.poly_user_id ?? null;
}

/** The caller holds the lock of the account. */
export async function addInvitedPerson(
  tx: Tx,
  accountId: number,
  invitedId: string,
  polyUserId: string,
  now: Date,
): Promise<void> {
  await add(tx, {
    account_id: accountId,
    invited_id: invitedId,
    poly_user_id: polyUserId,
    created_at: now,
  });
}

/** Ends an invitation created since then. Returns its placeholder person; null if there is none. */
export async function takeInvitedPerson(
  tx: Tx,
  accountId: number,
  invitedId: string,
  since: Date,
): Promise<string | null> {
  return firstOf(await take(tx, { accountId, invitedId, since }))?.poly_user_id ?? null;
}

/**
 * Returns a page of a person's invitations created since then, newest first, and the total count.
 */
export async function listInvitations(
  on: Queryable,
  invitedId: string,
  since: Date,
  [limit, offset]: readonly [number, number],
) {
  const by = { invitedId, since };
  return withTotal(page(on, { ...by, limit, offset }), count(on, by));
}
