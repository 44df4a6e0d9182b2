import type { MeetingPlatform } from '../../domain/names.ts';
import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, limit, prepare, without } from '../prepare.ts';
import { and, desc, sql } from '../schema/drizzle.ts';
import { meetings } from '../schema/meetings.ts';

export type MeetingRow = typeof meetings.$inferSelect;

const { awaits_start, link_uuid, meeting_key, occurrence } = meetings;

const byKey = prepare('meetings.by_key', { meeting_key }, ({ equals }) =>
  build.select().from(meetings).where(equals.meeting_key),
);
const byPlatformId = statement<MeetingRow>(
  'meetings.by_platform_id',
  'SELECT * FROM meetings WHERE platform = :platform::meeting_platform AND meeting_id = :meetingId',
);
const newestOfLink = prepare('meetings.newest_of_link', { link_uuid }, ({ equals }) =>
  build.select().from(meetings).where(equals.link_uuid).orderBy(desc(occurrence)).limit(1),
);
const lockByKey = prepare('meetings.lock', { meeting_key }, ({ equals }) =>
  build.select().from(meetings).where(equals.meeting_key).for('update'),
);
const insert = statement<MeetingRow>(
  'meetings.insert',
  `INSERT INTO meetings (meeting_key, platform, meeting_id, link_uuid, occurrence, account_id,
     status, livemode, topic, organization, names_blind, occurred_at, scheduled_at, created_by,
     created_at, updated_at)
   VALUES (:meeting_key, :platform::meeting_platform, :meeting_id, :link_uuid, :occurrence,
     :account_id, 'scheduled', :livemode, :topic, :organization, '{}',
     coalesce(:scheduled_at::timestamptz, :created_at::timestamptz), :scheduled_at, :created_by,
     :created_at, :created_at)
   ON CONFLICT (link_uuid, occurrence) DO NOTHING RETURNING *`,
);
/**
 * Copies `occurred_at` to the participants, because lists of a person's meetings are ordered by it.
 */
const write = statement<MeetingRow>(
  'meetings.write',
  `WITH moved AS (
     UPDATE meeting_participants SET occurred_at = :occurred_at
     WHERE meeting_key = :meeting_key AND occurred_at <> :occurred_at
   )
   UPDATE meetings SET status = :status::meeting_state, meeting_id = :meeting_id,
     participant_count = :participant_count,
     verified_count = :verified_count, started_at = :started_at, ended_at = :ended_at,
     end_reason = :end_reason, occurred_at = :occurred_at,
     join_url_sealed = :join_url_sealed, updated_at = :now, version = version + 1
   WHERE meeting_key = :meeting_key RETURNING *`,
);
/** A log row shows the first host and the first other participant. */
const addName = statement(
  'meetings.add_name',
  `UPDATE meetings SET host_name_sealed = coalesce(host_name_sealed, :host),
     user_name_sealed = coalesce(user_name_sealed, :user),
     names_blind = ARRAY(SELECT DISTINCT unnest(names_blind || :digests::text[]))
   WHERE meeting_key = :meetingKey`,
);
const started = prepare('meetings.started', { meeting_key }, ({ equals }) =>
  build.update(meetings).set({ awaits_start: false }).where(and(equals.meeting_key, awaits_start)),
);
/**
 * Lists meetings created by `made_until` whose workflow is not known to run, except those in
 * `without`.
 */
export const listUnstartedMeetings = prepare(
  'meetings.unstarted',
  { made_until: meetings.created_at, limit, without },
  ({ by }) => sql<MeetingRow>`SELECT *
  FROM meetings WHERE awaits_start AND created_at <= ${by.made_until}
     AND meeting_key <> ALL (${by.without}::text[])
   ORDER BY created_at LIMIT ${by.limit}`,
);

export async function findMeeting(on: Queryable, meetingKey: string): Promise<MeetingRow | null> {
  return firstOf(await byKey(on, { meeting_key: meetingKey }));
}

/** Returns a meeting by its platform id, in bytes. */
export async function findMeetingOf(
  on: Queryable,
  platform: MeetingPlatform,
  meetingId: Uint8Array,
): Promise<MeetingRow | null> {
  return firstOf(await byPlatformId(on, { platform, meetingId }));
}

/** Returns the last meeting of a link, ended or not. */
export async function findNewestMeeting(
  on: Queryable,
  linkUuid: string,
): Promise<MeetingRow | null> {
  return firstOf(await newestOfLink(on, { link_uuid: linkUuid }));
}

export async function lockMeeting(tx: Tx, meetingKey: string): Promise<MeetingRow | null> {
  return firstOf(await lockByKey(tx, { meeting_key: meetingKey }));
}

export type NewMeeting = Pick<
  MeetingRow,
  | 'meeting_key'
  | 'platform'
  | 'meeting_id'
  | 'link_uuid'
  | 'occurrence'
  | 'account_id'
  | 'livemode'
  | 'topic'
  | 'organization'
  | 'scheduled_at'
  | 'created_by'
  | 'created_at'
>;

/**
 * Inserts a scheduled meeting. Returns null if the link already has a meeting of this occurrence.
 */
export async function insertMeeting(tx: Tx, meeting: NewMeeting): Promise<MeetingRow | null> {
  return firstOf(await insert(tx, meeting));
}

/**
 * Writes the mutable columns of a meeting and increments its version. The caller holds its lock.
 */
export async function writeMeeting(tx: Tx, meeting: MeetingRow, now: Date): Promise<MeetingRow> {
  const written = firstOf(
    await write(tx, {
      meeting_key: meeting.meeting_key,
      status: meeting.status,
      meeting_id: meeting.meeting_id,
      participant_count: meeting.participant_count,
      verified_count: meeting.verified_count,
      started_at: meeting.started_at,
      ended_at: meeting.ended_at,
      end_reason: meeting.end_reason,
      occurred_at: meeting.occurred_at,
      join_url_sealed: meeting.join_url_sealed,
      now,
    }),
  );
  if (!written) throw new Error('the meeting does not exist');
  return written;
}

/** Stores the name of a participant in the meeting row: sealed, and as digests for searches. */
export async function addMeetingName(
  tx: Tx,
  meetingKey: string,
  name: {
    readonly host: Buffer | null;
    readonly user: Buffer | null;
    readonly digests: readonly string[];
  },
): Promise<void> {
  await addName(tx, { meetingKey, host: name.host, user: name.user, digests: name.digests });
}

/** Records that the workflow of a meeting is started. */
export async function markMeetingStarted(on: Queryable, meetingKey: string): Promise<void> {
  await started(on, { meeting_key: meetingKey });
}
