import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import type { polyUsers } from '../schema/accounts.ts';

export type PolyUserRow = typeof polyUsers.$inferSelect;

const lock = statement<PolyUserRow>(
  'poly_users.lock',
  `SELECT * FROM poly_users
   WHERE poly_user_id = ANY (:ids) ORDER BY poly_user_id FOR NO KEY UPDATE`,
);
/**
 * Moves everything of an email-only person to another person: login emails, memberships with the
 * API keys that depend on them, invitations, the authorship of links. The sessions of the
 * email-only person end. Rows are written in key order, so that concurrent adoptions do not
 * deadlock.
 * If both are members, roles set by hand are merged. Roles set by hand win over roles from groups.
 * An invitation adds no role to roles from groups. If both have roles from groups, those of the
 * adopted person win. Meetings move too.
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
/**
 * Locked after links, in the order used when a person enters a meeting. Changing a participant
 * requires the lock of the meeting.
 */
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

/** Follows `adopted_by` to the current person. */
const standing = statement<{ poly_user_id: string }>(
  'poly_users.standing',
  `WITH RECURSIVE chain AS (
     SELECT poly_user_id, adopted_by FROM poly_users WHERE poly_user_id = :polyUserId
     UNION SELECT p.poly_user_id, p.adopted_by FROM chain c
       JOIN poly_users p ON p.poly_user_id = c.adopted_by
   ) SELECT poly_user_id FROM chain WHERE adopted_by IS NULL`,
);

/** Returns the current id of a person: the last adopter, or themselves. */
export async function findStanding(on: Queryable, polyUserId: string): Promise<string> {
  return firstOf(await standing(on, { polyUserId }))?.poly_user_id ?? polyUserId;
}

/** Returns true if both are one person: the same id, or the same identity group. */
export async function areOnePerson(on: Queryable, one: string, other: string): Promise<boolean> {
  return one === other || (await same(on, { one, other })).length > 0;
}

/** Returns true if a person has or had a certified device, not only login emails. */
export async function isCertBacked(on: Queryable, polyUserId: string): Promise<boolean> {
  return (await certBacked(on, { polyUserId })).length > 0;
}

/** Returns the rows of these people, locked in id order until the transaction ends. */
export async function lockPolyUsers(tx: Tx, ids: readonly string[]): Promise<PolyUserRow[]> {
  return lock(tx, { ids });
}

/**
 * Gives everything of an email-only person to another person. Returns false if the first was
 * already adopted. The caller has locked both rows. In a meeting with both, each stays a separate
 * participant.
 * @param isPlace true if the first is the placeholder person of an invited address
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
