import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, limit, prepare } from '../prepare.ts';
import { and, inArray } from '../schema/drizzle.ts';
import { meetingParticipants } from '../schema/meetings.ts';

export type ParticipantRow = typeof meetingParticipants.$inferSelect;

const {
  account_id,
  attestation,
  created_at,
  created_by,
  display_name_sealed,
  external_blind,
  join_session_id,
  left_at,
  link_session_id,
  meeting_key,
  occurred_at,
  participant_id,
  poly_user_id,
  role,
  status,
  verification,
} = meetingParticipants;

const ofMeeting = prepare('participants.of_meeting', { meeting_key, limit }, ({ by, equals }) =>
  build
    .select()
    .from(meetingParticipants)
    .where(equals.meeting_key)
    .orderBy(created_at, participant_id)
    .limit(by.limit),
);
const byId = prepare('participants.by_id', { meeting_key, participant_id }, ({ equals }) =>
  build.select().from(meetingParticipants).where(and(equals.meeting_key, equals.participant_id)),
);
const ofPerson = prepare('participants.of_person', { meeting_key, poly_user_id }, ({ equals }) =>
  build.select().from(meetingParticipants).where(and(equals.meeting_key, equals.poly_user_id)),
);
const unnamedHost = statement<ParticipantRow>(
  'participants.unnamed_host',
  `SELECT * FROM meeting_participants
   WHERE meeting_key = :meetingKey AND role = 'host' AND poly_user_id IS NULL
     AND created_by = :createdBy
   ORDER BY created_at LIMIT 1`,
);
const insert = prepare(
  'participants.insert',
  {
    participant_id,
    meeting_key,
    account_id,
    poly_user_id,
    role,
    display_name_sealed,
    status,
    verification,
    attestation,
    join_session_id,
    link_session_id,
    external_blind,
    occurred_at,
    created_at,
    created_by,
  },
  ({ by }) => build.insert(meetingParticipants).values(by).onConflictDoNothing().returning(),
);
const write = statement<ParticipantRow>(
  'participants.write',
  `UPDATE meeting_participants SET status = :status::participant_state,
     verification = :verification::verification_state,
     attestation = :attestation::attestation_level,
     link_session_id = :link_session_id, joined_at = :joined_at, left_at = :left_at,
     poly_user_id = :poly_user_id
   WHERE participant_id = :participant_id RETURNING *`,
);

const promote = prepare('participants.promote', { participant_id }, ({ equals }) =>
  build.update(meetingParticipants).set({ role: 'host' }).where(equals.participant_id).returning(),
);
const byExternal = prepare(
  'participants.by_external',
  { meeting_key, external_blind },
  ({ equals }) =>
    build.select().from(meetingParticipants).where(and(equals.meeting_key, equals.external_blind)),
);
const byJoinSession = statement<ParticipantRow>(
  'participants.by_join_session',
  `SELECT * FROM meeting_participants
   WHERE meeting_key = :meetingKey AND join_session_id = :joinSessionId`,
);
/** Joins through the link of the join session, so that an index finds its meetings. */
const byCheck = statement<ParticipantRow>(
  'participants.by_check',
  `SELECT * FROM meeting_participants WHERE link_session_id = :linkSessionId
   UNION
   SELECT p.* FROM join_sessions s
   JOIN meetings m ON m.link_uuid = s.link_uuid
   JOIN meeting_participants p
     ON p.meeting_key = m.meeting_key AND p.join_session_id = s.join_session_id
   WHERE s.link_session_id = :linkSessionId
   ORDER BY meeting_key`,
);
const counts = statement<ParticipantCounts>(
  'participants.count',
  `SELECT count(*) FILTER (WHERE joined_at IS NOT NULL)::int AS joined,
     count(*) FILTER (WHERE joined_at IS NOT NULL AND verification = 'verified')::int AS verified,
     count(*) FILTER (WHERE status = 'joined')::int AS present
   FROM meeting_participants WHERE meeting_key = :meetingKey`,
);
const leaveAll = prepare('participants.leave_all', { meeting_key, left_at }, ({ by, equals }) =>
  build
    .update(meetingParticipants)
    .set({ status: 'left', left_at: by.left_at })
    .where(and(equals.meeting_key, inArray(status, ['joined', 'waiting']))),
);

/** How many people ever joined, how many of them are verified, and how many are present. */
export interface ParticipantCounts {
  readonly joined: number;
  readonly verified: number;
  readonly present: number;
}

/** Returns at most `limit` past and present participants of a meeting, in order of creation. */
export async function listParticipants(
  on: Queryable,
  meetingKey: string,
  limit: number,
): Promise<ParticipantRow[]> {
  return ofMeeting(on, { meeting_key: meetingKey, limit });
}

export async function findParticipant(
  on: Queryable,
  meetingKey: string,
  participantId: string,
): Promise<ParticipantRow | null> {
  return firstOf(await byId(on, { meeting_key: meetingKey, participant_id: participantId }));
}

export async function findPerson(
  on: Queryable,
  meetingKey: string,
  polyUserId: string,
): Promise<ParticipantRow | null> {
  return firstOf(await ofPerson(on, { meeting_key: meetingKey, poly_user_id: polyUserId }));
}

/** Makes a participant a host. The caller holds the lock of the meeting. */
export async function promoteParticipant(tx: Tx, id: string): Promise<ParticipantRow | null> {
  return firstOf(await promote(tx, { participant_id: id }));
}

/** Returns a participant by the digest of their id on the platform. */
export async function findExternal(
  on: Queryable,
  meetingKey: string,
  blind: Uint8Array,
): Promise<ParticipantRow | null> {
  return firstOf(await byExternal(on, { meeting_key: meetingKey, external_blind: blind }));
}

/** Returns the participant of a join session in a meeting. */
export async function findJoining(
  on: Queryable,
  meetingKey: string,
  joinSessionId: string,
): Promise<ParticipantRow | null> {
  return firstOf(await byJoinSession(on, { meetingKey, joinSessionId }));
}

/**
 * Returns the participants verified by a trust check, or joined through the join session that it
 * admits.
 */
export async function listParticipantsBy(
  on: Queryable,
  linkSessionId: string,
): Promise<ParticipantRow[]> {
  return byCheck(on, { linkSessionId });
}

export async function countParticipants(
  on: Queryable,
  meetingKey: string,
): Promise<ParticipantCounts> {
  return firstOf(await counts(on, { meetingKey })) ?? { joined: 0, verified: 0, present: 0 };
}

/** Marks all participants as left when the meeting ends. */
export async function leaveMeeting(tx: Tx, meetingKey: string, now: Date): Promise<void> {
  await leaveAll(tx, { meeting_key: meetingKey, left_at: now });
}

/**
 * Returns the unidentified host of a meeting that `createdBy` started. Hosts added by others do not
 * match.
 */
export async function findUnnamedHost(
  on: Queryable,
  meetingKey: string,
  createdBy: string,
): Promise<ParticipantRow | null> {
  return firstOf(await unnamedHost(on, { meetingKey, createdBy }));
}

export type NewParticipant = Omit<ParticipantRow, 'joined_at' | 'left_at'>;

/** Adds a participant. Returns null if they are already in the meeting. */
export async function insertParticipant(
  tx: Tx,
  row: NewParticipant,
): Promise<ParticipantRow | null> {
  return firstOf(await insert(tx, row));
}

/** Writes the mutable columns of a participant. The caller holds the lock of the meeting. */
export async function writeParticipant(tx: Tx, row: ParticipantRow): Promise<ParticipantRow> {
  const written = firstOf(await write(tx, row));
  if (!written) throw new Error('the participant does not exist');
  return written;
}
