import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { and, ne } from '../schema/drizzle.ts';
import { type meetingParticipants, joinSessions } from '../schema/meetings.ts';
import type { TrustCheckRow } from './trust-checks.ts';

export type JoinSessionRow = typeof joinSessions.$inferSelect;

const { join_session_id, joined_at, meeting_key, status } = joinSessions;

const insert = statement<JoinSessionRow>(
  'join_sessions.insert',
  `INSERT INTO join_sessions (join_session_id, link_uuid, account_id, participant_id, status,
     display_name_sealed, platform, client, browser_hash, created_at, expires_at,
     nonce_hash)
   VALUES (:join_session_id, :link_uuid, :account_id, :participant_id, 'created',
     :display_name_sealed, :platform::meeting_platform, :client, :browser_hash, :created_at,
     :expires_at, :nonce_hash)
   ON CONFLICT (join_session_id) DO UPDATE SET browser_hash = excluded.browser_hash
   RETURNING *`,
);
const byId = prepare('join_sessions.by_id', { join_session_id }, ({ equals }) =>
  build.select().from(joinSessions).where(equals.join_session_id),
);
const lockById = prepare('join_sessions.lock', { join_session_id }, ({ equals }) =>
  build.select().from(joinSessions).where(equals.join_session_id).for('update'),
);
const ofBrowser = statement<JoinSessionRow>(
  'join_sessions.of_browser',
  `SELECT * FROM join_sessions WHERE browser_hash = :browserHash AND link_uuid = :linkUuid
   ORDER BY created_at DESC, join_session_id LIMIT :limit`,
);
const bind = statement<JoinSessionRow>(
  'join_sessions.bind',
  `UPDATE join_sessions SET link_session_id = :link_session_id
   WHERE join_session_id = :id AND link_uuid = :link_uuid AND status = 'created'
     AND (link_session_id = :link_session_id OR (link_session_id IS NULL AND expires_at > :now))
     AND NOT EXISTS (SELECT 1 FROM join_sessions other
                     WHERE other.link_session_id = :link_session_id
                       AND other.join_session_id <> :id)
   RETURNING *`,
);
const withNonce = statement<{ join_session_id: string }>(
  'join_sessions.with_nonce',
  'SELECT join_session_id FROM join_sessions WHERE link_session_id = :check AND nonce_hash = :hash',
);
const spendNonce = statement<{ join_session_id: string }>(
  'join_sessions.spend_nonce',
  `UPDATE join_sessions SET nonce_hash = NULL
   WHERE link_session_id = :check AND nonce_hash = :hash RETURNING join_session_id`,
);
const standings = statement<JoinStandingRow>(
  'join_sessions.standings',
  `SELECT s.join_session_id, s.link_uuid, s.meeting_key, s.status, s.created_at, s.expires_at,
     s.link_session_id, c.status AS check_status, c.outcome_validity, p.participant_id,
     p.status AS presence, l.required_proofs
   FROM join_sessions s
   JOIN links l ON l.link_uuid = s.link_uuid
   LEFT JOIN trust_checks c ON c.link_session_id = s.link_session_id
   LEFT JOIN meeting_participants p
     ON p.meeting_key = s.meeting_key AND p.join_session_id = s.join_session_id
   WHERE s.join_session_id = ANY (:ids::text[])`,
);
const enter = prepare('join_sessions.enter', { join_session_id, meeting_key }, ({ by, equals }) =>
  build.update(joinSessions).set({ meeting_key: by.meeting_key }).where(equals.join_session_id),
);
const join = prepare('join_sessions.join', { join_session_id, joined_at }, ({ by, equals }) =>
  build
    .update(joinSessions)
    .set({ status: 'joined', joined_at: by.joined_at })
    .where(and(equals.join_session_id, ne(status, 'joined'))),
);

export type NewJoinSession = Omit<
  JoinSessionRow,
  'status' | 'link_session_id' | 'meeting_key' | 'joined_at'
>;

/** Inserts a join session, or returns the one that a repeated request already created. */
export async function insertJoinSession(
  on: Queryable,
  row: NewJoinSession,
): Promise<JoinSessionRow> {
  const made = firstOf(await insert(on, row));
  if (!made) throw new Error('a join session was not made');
  return made;
}

export async function findJoinSession(on: Queryable, id: string): Promise<JoinSessionRow | null> {
  return firstOf(await byId(on, { join_session_id: id }));
}

export async function lockJoinSession(tx: Tx, id: string): Promise<JoinSessionRow | null> {
  return firstOf(await lockById(tx, { join_session_id: id }));
}

/**
 * Data that decides whether a join session may join: its check, and the state of its participant.
 */
export type JoinStandingRow = Pick<
  JoinSessionRow,
  | 'join_session_id'
  | 'link_uuid'
  | 'meeting_key'
  | 'status'
  | 'created_at'
  | 'expires_at'
  | 'link_session_id'
> & {
  readonly check_status: TrustCheckRow['status'] | null;
  readonly outcome_validity: TrustCheckRow['outcome_validity'];
  /** The participant in the last entered meeting; null before the first. */
  readonly participant_id: string | null;
  readonly presence: (typeof meetingParticipants.$inferSelect)['status'] | null;
  readonly required_proofs: readonly string[];
};

/** Returns the standing of several join sessions in one query. Unknown ids are omitted. */
export async function listJoinStandings(
  on: Queryable,
  ids: readonly string[],
): Promise<JoinStandingRow[]> {
  return standings(on, { ids });
}

/** Returns at most `limit` join sessions of a browser on a link, newest first. */
export async function listJoinSessions(
  on: Queryable,
  browserHash: Uint8Array,
  linkUuid: string,
  limit: number,
): Promise<JoinSessionRow[]> {
  return ofBrowser(on, { browserHash, linkUuid, limit });
}

/**
 * Binds a join session to the trust check of its link that will admit it. Returns null if another
 * join session has that check, or if this one expired unbound. The caller holds the lock of the
 * check, because a check admits only one join session.
 */
export async function bindJoinSession(
  tx: Tx,
  id: string,
  check: { readonly link_session_id: string; readonly link_uuid: string },
  now: Date,
): Promise<JoinSessionRow | null> {
  return firstOf(
    await bind(tx, { id, link_session_id: check.link_session_id, link_uuid: check.link_uuid, now }),
  );
}

/** Records the meeting of a join session. */
export async function enterMeeting(tx: Tx, id: string, meetingKey: string): Promise<void> {
  await enter(tx, { join_session_id: id, meeting_key: meetingKey });
}

/** Records that its person is in the meeting. */
export async function markJoined(tx: Tx, id: string, now: Date): Promise<void> {
  await join(tx, { join_session_id: id, joined_at: now });
}

/** Returns true if this is the unused nonce of the join session that a check will admit. */
export async function hasJoinNonce(on: Queryable, check: string, hash: Buffer): Promise<boolean> {
  return (await withNonce(on, { check, hash })).length > 0;
}

/** Consumes the nonce. Returns false if it is already consumed. */
export async function spendJoinNonce(on: Queryable, check: string, hash: Buffer): Promise<boolean> {
  return (await spendNonce(on, { check, hash })).length > 0;
}
