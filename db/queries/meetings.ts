import type { MeetingPlatform } from '../../domain/names.ts';
import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { meetings } from '../schema/meetings.ts';
import { and, desc } from '../schema/drizzle.ts';

export type MeetingRow = typeof meetings.$inferSelect;

const { awaits_start, link_uuid, meeting_key, occurrence } = meetings;

const byKey = prepare('meetings.by_key', { meeting_key }, ({ equals }) =>
  build.select().from(meetings).where(equals.meeting_key),
);
const byPlatformId = statement<MeetingRow>(
  'meetings.by_platform_id',
  'SELECT * FROM meetings WHERE platform = $1::meeting_platform AND meeting_id = $2',
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
   VALUES ($1, $2::meeting_platform, $3, $4, $5, $6, 'scheduled', $7, $8, $9, '{}',
     coalesce($10::timestamptz, $12::timestamptz), $10, $11, $12, $12)
   ON CONFLICT (link_uuid, occurrence) DO NOTHING RETURNING *`,
);
/** Lists of a person's meetings are ordered by when these were: each of their rows follows. */
const write = statement<MeetingRow>(
  'meetings.write',
  `WITH moved AS (
     UPDATE meeting_participants SET occurred_at = $9
     WHERE meeting_key = $1 AND occurred_at <> $9
   )
   UPDATE meetings SET status = $2::meeting_state, meeting_id = $3, participant_count = $4,
     verified_count = $5, started_at = $6, ended_at = $7, end_reason = $8, occurred_at = $9,
     join_url_sealed = $10, updated_at = $11, version = version + 1
   WHERE meeting_key = $1 RETURNING *`,
);
/** The first host and the first of the others are whom a log row names. */
const addName = statement(
  'meetings.add_name',
  `UPDATE meetings SET host_name_sealed = coalesce(host_name_sealed, $2),
     user_name_sealed = coalesce(user_name_sealed, $3),
     names_blind = ARRAY(SELECT DISTINCT unnest(names_blind || $4::text[]))
   WHERE meeting_key = $1`,
);
const started = prepare('meetings.started', { meeting_key }, ({ equals }) =>
  build.update(meetings).set({ awaits_start: false }).where(and(equals.meeting_key, awaits_start)),
);
const unstarted = statement<MeetingRow>(
  'meetings.unstarted',
  `SELECT * FROM meetings WHERE awaits_start AND created_at <= $1
     AND meeting_key <> ALL ($3::text[])
   ORDER BY created_at LIMIT $2`,
);

export async function findMeeting(on: Queryable, meetingKey: string): Promise<MeetingRow | null> {
  return firstOf(await byKey(on, { meeting_key: meetingKey }));
}

/** A meeting by what its platform calls it, in bytes. */
export async function findMeetingOf(
  on: Queryable,
  platform: MeetingPlatform,
  meetingId: Uint8Array,
): Promise<MeetingRow | null> {
  return firstOf(await byPlatformId(on, [platform, meetingId]));
}

/** The last meeting that a link led to, over or not. */
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

/** Inserts a scheduled meeting; null where its link has led to one of this occurrence before. */
export async function insertMeeting(tx: Tx, meeting: NewMeeting): Promise<MeetingRow | null> {
  return firstOf(
    await insert(tx, [
      meeting.meeting_key,
      meeting.platform,
      meeting.meeting_id,
      meeting.link_uuid,
      meeting.occurrence,
      meeting.account_id,
      meeting.livemode,
      meeting.topic,
      meeting.organization,
      meeting.scheduled_at,
      meeting.created_by,
      meeting.created_at,
    ]),
  );
}

/** Writes what may change of a meeting, under its lock; its version rises. */
export async function writeMeeting(tx: Tx, meeting: MeetingRow, now: Date): Promise<MeetingRow> {
  const written = firstOf(
    await write(tx, [
      meeting.meeting_key,
      meeting.status,
      meeting.meeting_id,
      meeting.participant_count,
      meeting.verified_count,
      meeting.started_at,
      meeting.ended_at,
      meeting.end_reason,
      meeting.occurred_at,
      meeting.join_url_sealed,
      now,
    ]),
  );
  if (!written) throw new Error('the meeting does not exist');
  return written;
}

/** Notes the name of somebody in a meeting: sealed, and what it is found by. */
export async function addMeetingName(
  tx: Tx,
  meetingKey: string,
  name: {
    readonly host: Buffer | null;
    readonly user: Buffer | null;
    readonly digests: readonly string[];
  },
): Promise<void> {
  await addName(tx, [meetingKey, name.host, name.user, name.digests]);
}

/** Notes that the workflow of a meeting has been started. */
export async function markMeetingStarted(on: Queryable, meetingKey: string): Promise<void> {
  await started(on, { meeting_key: meetingKey });
}

/** Meetings made by then whose workflow is not known to be started, without those named. */
export async function listUnstartedMeetings(
  on: Queryable,
  values: readonly [Date, number, readonly string[]],
): Promise<MeetingRow[]> {
  return unstarted(on, values);
}
