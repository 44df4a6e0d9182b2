import { z } from 'zod';
import {
  attestationLevels,
  meetingPlatforms,
  participantRoles,
  participantStates,
  trackingStates,
  verificationStates,
} from '../../domain/names.ts';
import { meetingStates } from '../../workflows/meeting/state.ts';
import { instant, shortText } from '../http/fields/fields.ts';

const timestamp = z.iso.datetime();
export const platform = z.enum(meetingPlatforms).describe('Platform of the meeting');
/** The characters of any base64 spelling, with or without percent-encoding. */
export const meetingId = z
  .string()
  .regex(/^[A-Za-z0-9+/_=%-]{1,2048}$/, 'must be base64 or base64url')
  .describe('ID of the meeting on its platform, in base64 or base64url');
export const displayName = shortText(120).describe(
  'Name shown to other participants; stored encrypted',
);

export const meetingPath = z.object({ platform, meeting_id: meetingId });

export const startMeetingRequest = z
  .object({
    role: z
      .enum(participantRoles)
      .optional()
      .describe('`host` by default, who starts the meeting. A participant is added as expected'),
    display_name: displayName.optional(),
    topic: shortText(200).optional().describe('Topic; that of the link by default'),
    organization: shortText(200)
      .optional()
      .describe('Organization of the meeting; that of the link by default'),
    scheduled_at: instant.optional().describe('Planned start; that of the link by default'),
    join_session_id: z
      .string()
      .regex(/^js_[0-9a-z]{26}$/, 'must be a join session id')
      .optional()
      .describe(
        'Join session of the participant, which must be `ready`; `role` must be `participant`',
      ),
    platform: platform.optional(),
  })
  .meta({
    id: 'StartMeetingRequest',
    example: { role: 'host', display_name: 'The host' },
  });

export const startedBody = z
  .object({
    meeting_id: z.string().describe('ID in base64url, however the platform spells it'),
    platform: z.enum(meetingPlatforms),
    status: z.enum(meetingStates),
    host_url: z.string().nullable().describe('Where a host enters; null for all others'),
    join_url: z.string(),
    participant_id: z.string(),
    required_proofs: z.array(z.string()),
    socket: z.object({ url: z.string(), stream: z.string() }),
  })
  .meta({ id: 'StartedMeeting' });

export const participantEventObject = z.object({
  participant_id: z.string(),
  poly_user_id: z.string().nullable(),
  role: z.enum(participantRoles),
  status: z.enum(participantStates),
  verification: z.enum(verificationStates).describe('How far the identity is verified'),
  attestation: z
    .enum(attestationLevels)
    .nullable()
    .describe(
      'Level of attestation: C came through the link; B and A are bound to the call by ' +
        'their device',
    ),
  link_session_id: z.string().nullable().describe('Trust check that verified the participant'),
  joined_at: timestamp.nullable(),
  left_at: timestamp.nullable(),
});
const participantBody = participantEventObject
  .extend({ display_name: z.string().nullable() })
  .meta({ id: 'MeetingParticipant' });

/** The meeting in an event. It omits topic and names. */
export const meetingEventObject = z.object({
  platform: z.enum(meetingPlatforms),
  meeting_id: z.string(),
  link_uuid: z.string(),
  account_id: z.int(),
  status: z.enum(meetingStates),
  tracking: z
    .enum(trackingStates)
    .describe('Whether the platform reports what happens in the meeting'),
  participant_count: z.int().describe('Number of people who joined, each counted once'),
  verified_count: z.int().describe('Number of verified participants'),
  scheduled_at: timestamp.nullable(),
  started_at: timestamp.nullable(),
  ended_at: timestamp.nullable(),
  end_reason: z.string().nullable(),
  created_at: timestamp,
  sequence: z.int().describe('Number of changes so far'),
  sandbox: z.boolean(),
});

export const meetingBody = meetingEventObject
  .extend({
    topic: z.string().nullable(),
    organization: z.string().nullable(),
    participants: z
      .array(participantBody)
      .describe('At most 1,000, in the order they became known'),
  })
  .meta({ id: 'Meeting' });

export const byLinkBody = z
  .object({
    participants: z.array(
      z.object({
        display_name: z.string().nullable(),
        role: z.enum(participantRoles),
        status: z.enum(participantStates).describe('State, as in the meeting itself: `joined`'),
        verification: z.enum(verificationStates),
        attestation: z.enum(attestationLevels).nullable(),
      }),
    ),
  })
  .meta({ id: 'MeetingByLink' });

export const playRequest = z
  .object({
    kind: z
      .enum(['waiting', 'joined', 'left', 'removed', 'denied', 'ended'])
      .describe(
        'Event to simulate; with a join token only `waiting`, `joined` and `left` of its holder',
      ),
    participant_id: z
      .string()
      .regex(/^pt_[0-9a-z]{26}$/, 'must be a participant id')
      .optional()
      .describe('Participant of the event; by default an unknown person enters'),
    display_name: displayName.optional(),
  })
  .meta({ id: 'SandboxMeetingEvent', example: { kind: 'joined' } });

export const playedBody = z.object({
  event_id: z.string().describe('ID of the event; the stream of the meeting has the result'),
});
