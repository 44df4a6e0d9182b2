import type { EventRow, NewEvent } from './events.ts';
import type { ParticipantRow } from './meeting-participants.ts';
import type { MeetingRow } from './meetings.ts';

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

export type MeetingEventType = Extract<NewEvent['type'], `meeting.${string}`>;

/** Returns a meeting's own id as the API spells it: base64url, on every platform. */
export function meetingIdOf({ meeting_id }: Pick<MeetingRow, 'meeting_id'>): string | null {
  return meeting_id?.toString('base64url') ?? null;
}

export const meetingStream = (platform: string, meetingId: string): string =>
  `meeting:${platform}:${meetingId}`;

/** Returns true if a meeting proves nothing: it is in test mode or on the sandbox platform. */
export const isPlayed = ({ livemode, platform }: Pick<MeetingRow, 'livemode' | 'platform'>) =>
  !livemode || platform === 'sandbox';

/** Returns a meeting as events contain it: without its topic and without names of people. */
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

/** Returns a participant as events contain them. */
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
 * Returns an event about a meeting. Returns none before the platform has assigned an id, because
 * the id names the event stream.
 */
export function meetingEvent(
  row: MeetingRow,
  type: MeetingEventType,
  extra: Readonly<Record<string, unknown>> = {},
  previousStatus?: string,
): NewEvent[] {
  const meetingId = meetingIdOf(row);
  if (meetingId === null) return [];
  return [
    {
      stream: meetingStream(row.platform, meetingId),
      type,
      account_id: row.account_id,
      // A meeting belongs to an account, not to an app.
      app_id: null,
      livemode: row.livemode,
      object_id: meetingId,
      object: { ...meetingObject(row), ...extra },
      ...(previousStatus === undefined ? {} : { previousStatus }),
    },
  ];
}

/**
 * Returns the state after an event, of its participant as `joined, verified, C`, else of the
 * meeting.
 */
export function stateIn({ data }: Pick<EventRow, 'data'>): string {
  const { participant, status: meeting } = data.object;
  const { status = meeting, verification, attestation } = Object(participant);
  return [status, verification, attestation].filter((each) => typeof each === 'string').join(', ');
}

/** Returns the participant that a meeting event is about, or null. */
export function participantIn({ data }: Pick<EventRow, 'data'>): string | null {
  const { participant_id: id } = Object(data.object['participant']) as { participant_id?: unknown };
  return typeof id === 'string' ? id : null;
}
