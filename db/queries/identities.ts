import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import type { polyUsers } from '../schema/accounts.ts';

export type PolyUserRow = typeof polyUsers.$inferSelect;

const lock = statement<PolyUserRow>(
  'poly_users.lock',
  `SELECT * FROM poly_users
   WHERE poly_user_id = ANY (:ids) ORDER BY poly_user_id FOR NO KEY UPDATE`,
);
/**
 * Everything an email-only person has goes over: login emails, memberships with the keys that
 * stand on them, invitations, the authorship of links; their sessions end. Each in the order of its
 * key, so that two concurrent adoptions do not deadlock. If both are members, roles set by hand are
 * merged. Roles from groups lose to roles that were set by hand. An invitation adds no role to
 * roles from groups. If both have roles from groups, those of the adopted person count. Their
 * meetings follow.
 */
const isTaken = `memberships.managed_by IS NOT NULL
         AND (excluded.managed_by IS NOT NULL OR NOT :isPlace::bool)`;
const adopt = statement<{ poly_user_id: string }>(
  'poly_users.adopt',
  `WITH emails AS (
     UPDATE login_emails SET poly_user_id = :adopterId WHERE poly_user_id = :adoptedId
   ), members AS (
     DELETE FROM memberships WHERE poly_user_id = :adoptedId
     RETURNING account_id, roles, created_at, managed_by
   ), joined AS (
     INSERT INTO memberships (poly_user_id, account_id, roles, created_at, managed_by)
     SELECT :adopterId, account_id, roles, CASE WHEN :isPlace::bool THEN :now ELSE created_at END,
       managed_by
     FROM members ORDER BY account_id
     ON CONFLICT (poly_user_id, account_id) DO UPDATE
       SET roles = CASE
           WHEN memberships.managed_by IS NULL AND excluded.managed_by IS NULL
           THEN ARRAY(SELECT DISTINCT unnest(memberships.roles || excluded.roles) ORDER BY 1)
           WHEN ${isTaken} THEN excluded.roles ELSE memberships.roles END,
         managed_by = CASE WHEN ${isTaken} THEN excluded.managed_by
           ELSE memberships.managed_by END
     RETURNING account_id
   ), authored AS (
     UPDATE links SET created_by = :adopterId
     WHERE account_id IN (SELECT account_id FROM members) AND created_by = :adoptedId
   ), invited AS (
     UPDATE invited_people i SET invited_id = :adopterId
       WHERE invited_id = :adoptedId AND NOT EXISTS (
       SELECT FROM invited_people o WHERE o.account_id = i.account_id AND o.invited_id = :adopterId)
   ), doubled AS (
     DELETE FROM invited_people i WHERE invited_id = :adoptedId AND EXISTS (
       SELECT FROM invited_people o WHERE o.account_id = i.account_id AND o.invited_id = :adopterId)
     RETURNING account_id, poly_user_id
   ), emptied AS (
     DELETE FROM memberships m USING doubled d
     WHERE m.account_id = d.account_id AND m.poly_user_id = d.poly_user_id
   ), keyed AS (
     UPDATE api_keys SET sso_member = :adopterId WHERE sso_member = :adoptedId
   ), ended AS (
     UPDATE sessions SET revoked_at = :now WHERE poly_user_id = :adoptedId AND revoked_at IS NULL
   )
   UPDATE poly_users SET adopted_by = :adopterId,
     identity_group_id = (SELECT identity_group_id FROM poly_users WHERE poly_user_id = :adopterId)
   WHERE poly_user_id = :adoptedId AND adopted_by IS NULL AND kind = 'email'
   RETURNING poly_user_id`,
);
/** After links, as who enters a meeting locks them; who changes somebody in one has its lock. */
const lockMet = statement<{ meeting_key: string }>(
  'poly_users.lock_met',
  `SELECT meeting_key FROM meetings
   WHERE meeting_key IN (SELECT meeting_key
     FROM meeting_participants WHERE poly_user_id = :adoptedId)
   ORDER BY meeting_key FOR UPDATE`,
);
const moveMet = statement(
  'poly_users.move_met',
  `UPDATE meeting_participants p SET poly_user_id = :adopterId
   WHERE poly_user_id = :adoptedId AND NOT EXISTS (
     SELECT 1 FROM meeting_participants other
     WHERE other.meeting_key = p.meeting_key AND other.poly_user_id = :adopterId)`,
);

const same = statement<{ is_same: boolean }>(
  'poly_users.same',
  `SELECT true AS is_same FROM poly_users a JOIN poly_users b USING (identity_group_id)
   WHERE a.poly_user_id = :one AND b.poly_user_id = :other`,
);

const certBacked = statement<{ is_cert: boolean }>(
  'poly_users.cert_backed',
  `SELECT true AS is_cert FROM poly_users WHERE poly_user_id = :polyUserId AND kind = 'cert'`,
);

/** Follows `adopted_by` to the person that somebody counts as today. */
const standing = statement<{ poly_user_id: string }>(
  'poly_users.standing',
  `WITH RECURSIVE chain AS (
     SELECT poly_user_id, adopted_by FROM poly_users WHERE poly_user_id = :polyUserId
     UNION SELECT p.poly_user_id, p.adopted_by FROM chain c
       JOIN poly_users p ON p.poly_user_id = c.adopted_by
   ) SELECT poly_user_id FROM chain WHERE adopted_by IS NULL`,
);

/** The person that somebody counts as today: their last adopter, or themselves. */
export async function findStanding(on: Queryable, polyUserId: string): Promise<string> {
  return firstOf(await standing(on, { polyUserId }))?.poly_user_id ?? polyUserId;
}

/** Whether two are one person: the same, or of one identity group. */
export async function areOnePerson(on: Queryable, one: string, other: string): Promise<boolean> {
  return one === other || (await same(on, { one, other })).length > 0;
}

/** Whether a person has, or had, a certified device, and not only login emails. */
export async function isCertBacked(on: Queryable, polyUserId: string): Promise<boolean> {
  return (await certBacked(on, { polyUserId })).length > 0;
}

/** The rows of these people, locked until the transaction ends, in the order of their ids. */
export async function lockPolyUsers(tx: Tx, ids: readonly string[]): Promise<PolyUserRow[]> {
  return lock(tx, { ids });
}

/**
 * Gives all that an email-only person has to another: true unless the first was adopted before.
 * Both rows are locked by the caller. In a meeting where both were, each stays who they were.
 * @param isPlace whether the first held the place of an invited address
 */
export async function adoptPolyUser(
  tx: Tx,
  adoptedId: string,
  adopterId: string,
  isPlace: boolean,
  now: Date,
): Promise<boolean> {
  if ((await adopt(tx, { adoptedId, adopterId, now, isPlace })).length !== 1) return false;
  const met = await lockMet(tx, { adoptedId });
  if (met.length > 0) await moveMet(tx, { adoptedId, adopterId });
  return true;
}
