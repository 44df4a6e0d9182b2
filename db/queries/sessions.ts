import { Failure } from '../../workflows/failures.ts';
import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { and, isNull, sql } from '../schema/drizzle.ts';
import { sessions } from '../schema/sessions.ts';
import { lockPolyUsers } from './identities.ts';

const { account_id, poly_user_id, revoked_at, sid } = sessions;

/** A session as its person sees it. */
export interface ListedSession extends Omit<
  typeof sessions.$inferSelect,
  'poly_user_id' | 'identity_id' | 'revoked_at'
> {
  readonly device_name: string | null;
}

/** The sessions of a person, or only `onlySid` if a session may act only for itself. */
export interface Owned {
  readonly polyUserId: string;
  readonly onlySid: string | null;
}

const living = `FROM sessions s LEFT JOIN devices d USING (device_id)
   WHERE s.poly_user_id = :polyUserId AND (:onlySid::text IS NULL OR s.sid = :onlySid)
     AND s.revoked_at IS NULL AND s.expires_at > :now AND d.revoked_at IS NULL`;
const page = statement<ListedSession>(
  'sessions.page_of_user',
  `SELECT s.sid, s.auth_method, s.device_id, s.device_label_sealed, d.name AS device_name,
     s.account_id, s.confined_to, s.created_at, s.expires_at ${living}
   ORDER BY s.created_at DESC, s.sid LIMIT :limit OFFSET :offset`,
);
const countLiving = statement<{ total: number }>(
  'sessions.count_of_user',
  `SELECT count(*)::int AS total ${living}`,
);
const endOne = prepare('sessions.end', { sid, poly_user_id, revoked_at }, ({ by, equals }) =>
  build
    .update(sessions)
    .set({ revoked_at: sql`coalesce(${revoked_at}, ${by.revoked_at})` })
    .where(and(equals.sid, equals.poly_user_id))
    .returning({ sid }),
);
/** Updates in id order, as for devices, so that concurrent calls do not deadlock. */
const endOfUser = statement<{ sid: string }>(
  'sessions.end_of_user',
  `UPDATE sessions SET revoked_at = :now WHERE sid IN (
     SELECT sid FROM sessions
     WHERE poly_user_id = :polyUserId AND revoked_at IS NULL AND expires_at > :now
     ORDER BY sid FOR NO KEY UPDATE)
   RETURNING sid`,
);
const goOn = prepare('sessions.note_account', { sid, account_id }, ({ by, equals }) =>
  build
    .update(sessions)
    .set({ account_id: by.account_id })
    .where(and(equals.sid, isNull(revoked_at)))
    .returning({ sid }),
);

/** Returns a page of a person's live sessions, newest first, and the total count. */
export async function listSessions(
  on: Queryable,
  owned: Owned,
  now: Date,
  [limit, offset]: readonly [number, number],
): Promise<{ rows: ListedSession[]; total: number }> {
  const by = { ...owned, now };
  const rows = await page(on, { ...by, limit, offset });
  return { rows, total: firstOf(await countLiving(on, by))?.total ?? 0 };
}

/**
 * Ends a session of a person. Returns false if they have no such session. An already ended session
 * keeps its first end time.
 */
export async function endSession(
  on: Queryable,
  sid: string,
  polyUserId: string,
  now: Date,
): Promise<boolean> {
  return (await endOne(on, { sid, poly_user_id: polyUserId, revoked_at: now })).length > 0;
}

/**
 * Ends every session of the person to whom a session belongs, and returns their ids. Takes the lock
 * of the person, like a step-up and an adoption: rights that a session gains meanwhile also end.
 * @throws `credential_invalid` if the session itself has ended, for example through an adoption,
 * which may have moved it to another person
 */
export async function endSessionsOf(
  tx: Tx,
  { sid, polyUserId }: { readonly sid: string; readonly polyUserId: string },
  now: Date,
): Promise<string[]> {
  await lockPolyUsers(tx, [polyUserId]);
  const ended = (await endOfUser(tx, { polyUserId, now })).map((each) => each.sid);
  if (!ended.includes(sid)) throw new Failure('credential_invalid');
  return ended;
}

/** Records the account in which a session continues. Returns false if the session has ended. */
export async function noteAccount(on: Queryable, sid: string, accountId: number): Promise<boolean> {
  return (await goOn(on, { sid, account_id: accountId })).length > 0;
}
