import type { EventRow, NewEvent } from './events.ts';
import type { ParticipantRow } from './meeting-participants.ts';
import type { MeetingRow } from './meetings.ts';

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

export type MeetingEventType = Extract<NewEvent['type'], `meeting.${string}`>;

/** A meeting's own id as the API spells it: base64url, whatever way its platform does. */
export function meetingIdOf({ meeting_id }: Pick<MeetingRow, 'meeting_id'>): string | null {
  return meeting_id?.toString('base64url') ?? null;
}

export const meetingStream = (platform: string, meetingId: string): string =>
  `meeting:${platform}:${meetingId}`;

/** Whether a meeting proves nothing: it is in test mode, or on the platform that simulates one. */
export const isPlayed = ({ livemode, platform }: Pick<MeetingRow, 'livemode' | 'platform'>) =>
  !livemode || platform === 'sandbox';

/** A meeting as events show it: without what it is about and without anybody's name. */
export function meetingObject(row: MeetingRow) {
  return {
    platform: row.platform,
    meeting_id: meetingIdOf(row),
    link_uuid: row.link_uuid,
    account_id: row.account_id,
    status: row.status,
    tracking: row.tracking,
    participant_count: row.participant_count,
    verified_count: row.verified_count,
    scheduled_at: iso(row.scheduled_at),
    started_at: iso(row.started_at),
    ended_at: iso(row.ended_at),
    end_reason: row.end_reason,
    created_at: row.created_at.toISOString(),
    sequence: row.version,
    sandbox: isPlayed(row),
  };
}

/** A participant as events show them. */
export function participantObject(row: ParticipantRow) {
  return {
    participant_id: row.participant_id,
    poly_user_id: row.poly_user_id,
    role: row.role,
    status: row.status,
    verification: row.verification,
    attestation: row.attestation,
    link_session_id: row.link_session_id,
    joined_at: iso(row.joined_at),
    left_at: iso(row.left_at),
  };
}

/**
 * An event about a meeting, for the log; none while its platform has not given it an id, which
 * names its stream.
 */
export function meetingEvent(
  row: MeetingRow,
  type: MeetingEventType,
  told: Readonly<Record<string, unknown>> = {},
  previousStatus?: string,
): NewEvent[] {
  const meetingId = meetingIdOf(row);
  if (meetingId === null) return [];
  return [
    {
      stream: meetingStream(row.platform, meetingId),
      type,
      account_id: row.account_id,
      // A meeting is of an account and of no app.
      app_id: null,
      livemode: row.livemode,
      object_id: meetingId,
      object: { ...meetingObject(row), ...told },
      ...(previousStatus === undefined ? {} : { previousStatus }),
    },
  ];
}

/** What became of whom an event is about by it, as `joined, verified, C`; else of the meeting. */
export function stateIn({ data }: Pick<EventRow, 'data'>): string {
  const { participant, status: meeting } = data.object;
  const { status = meeting, verification, attestation } = Object(participant);
  return [status, verification, attestation].filter((each) => typeof each === 'string').join(', ');
}

/** Whom an event of a meeting is about, where it is somebody. */
export function participantIn({ data }: Pick<EventRow, 'data'>): string | null {
  const { participant_id: id } = Object(data.object['participant']) as { participant_id?: unknown };
  return typeof id === 'string' ? id : null;
}
