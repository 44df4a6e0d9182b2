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
export const platform = z.enum(meetingPlatforms).describe('Where it takes place');
/** The characters of any base64 spelling, with or without percent-encoding. */
export const meetingId = z
  .string()
  .regex(/^[A-Za-z0-9+/_=%-]{1,2048}$/, 'must be base64 or base64url')
  .describe('The id the platform gave it, in base64 or base64url');
export const displayName = shortText(120).describe('How they are shown to the others; kept sealed');

export const meetingPath = z.object({ platform, meeting_id: meetingId });

export const startMeetingRequest = z
  .object({
    role: z
      .enum(participantRoles)
      .optional()
      .describe('`host` when left out, who begins the meeting; a participant is expected in it'),
    display_name: displayName.optional(),
    topic: shortText(200).optional().describe('What it is about; as the link has it when left out'),
    organization: shortText(200)
      .optional()
      .describe('Whose meeting it is; as the link has it when left out'),
    scheduled_at: instant
      .optional()
      .describe('When it is to begin; as the link has it when left out'),
    join_session_id: z
      .string()
      .regex(/^js_[0-9a-z]{26}$/, 'must be a join session id')
      .optional()
      .describe('Whom to let in, who is `ready`: then `role` is `participant`'),
    platform: platform.optional(),
  })
  .meta({
    id: 'StartMeetingRequest',
    example: { role: 'host', display_name: 'The host' },
  });

export const startedBody = z
  .object({
    meeting_id: z.string().describe('base64url, whatever way the platform spells it'),
    platform: z.enum(meetingPlatforms),
    status: z.enum(meetingStates),
    host_url: z.string().nullable().describe('Where a host comes in; null for everybody else'),
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
  verification: z.enum(verificationStates).describe('How sure it is who they are'),
  attestation: z
    .enum(attestationLevels)
    .nullable()
    .describe('C: they came through the link; B and A are bound to the call by their device'),
  link_session_id: z.string().nullable().describe('The trust check they were verified by'),
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
  tracking: z.enum(trackingStates).describe('Whether the platform tells what happens in it'),
  participant_count: z.int().describe('Who have joined, each once'),
  verified_count: z.int().describe('Those of them who are verified'),
  scheduled_at: timestamp.nullable(),
  started_at: timestamp.nullable(),
  ended_at: timestamp.nullable(),
  end_reason: z.string().nullable(),
  created_at: timestamp,
  sequence: z.int().describe('The changes so far'),
  sandbox: z.boolean(),
});

export const meetingBody = meetingEventObject
  .extend({
    topic: z.string().nullable(),
    organization: z.string().nullable(),
    participants: z.array(participantBody).describe('At most 1,000, by when they were known'),
  })
  .meta({ id: 'Meeting' });

export const byLinkBody = z
  .object({
    participants: z.array(
      z.object({
        display_name: z.string().nullable(),
        role: z.enum(participantRoles),
        status: z.enum(participantStates).describe('The same as in the meeting itself: `joined`'),
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
      .describe('What happens; a join token plays `waiting`, `joined` and `left` for its holder'),
    participant_id: z
      .string()
      .regex(/^pt_[0-9a-z]{26}$/, 'must be a participant id')
      .optional()
      .describe('Whom it happens to; left out somebody unknown comes'),
    display_name: displayName.optional(),
  })
  .meta({ id: 'SandboxMeetingEvent', example: { kind: 'joined' } });

export const playedBody = z.object({
  event_id: z.string().describe('The stream of the meeting has the result'),
});
