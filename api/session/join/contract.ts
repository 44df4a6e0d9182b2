import { z } from 'zod';
import { joinClients, joinSessionStates, meetingPlatforms } from '../../../domain/names.ts';
import { contract } from '../../http/contract.ts';
import { linkPath } from '../../links/schemas.ts';
import { displayName, meetingId } from '../../meetings/schemas.ts';

const joinSessionRequest = z
  .object({
    ...linkPath.shape,
    display_name: displayName.optional(),
    platform: z
      .enum(meetingPlatforms)
      .optional()
      .describe('Platform of the meeting; required if the link has none'),
    client: z
      .enum(joinClients)
      .optional()
      .describe('Client that requests to join; `web` by default'),
    meeting_id: meetingId.optional().describe('Meeting to join, for a person who is in it already'),
    nonce: z
      .string()
      .regex(/^[\x21-\x7e]{8,128}$/, 'must be 8 to 128 visible characters')
      .optional()
      .describe(
        'Returned in the token, so that the client recognizes its own request. The ' +
          'completion of the check can use it once',
      ),
  })
  .meta({
    id: 'JoinSessionRequest',
    example: { link_uuid: '0b8f7c1e-6a55-4d0f-9f51-2a5f0d1c7e11', display_name: 'A guest' },
  });

const joinSessionBody = z
  .object({
    join_session_id: z.string(),
    link_uuid: z.string(),
    status: z
      .enum(joinSessionStates)
      .describe('State by the trust check; only `ready` is admitted'),
    participant_id: z.string().describe('ID of the future participant in the meeting'),
    platform: z.enum(meetingPlatforms),
    client: z.enum(joinClients).describe('Client that requested to join'),
    required_proofs: z.array(z.string()),
    trust_check_session_id: z
      .string()
      .nullable()
      .describe('Trust check that was begun with the `join_token`'),
    join_url: z
      .string()
      .nullable()
      .describe('URL of the meeting, once the session is `ready` and a meeting is on'),
    join_token: z.string(),
    expires_at: z.iso
      .datetime()
      .describe('When the session expires: after ten minutes if no check was begun'),
    socket: z.object({
      url: z.string(),
      token: z.string().describe('Same as `join_token`'),
      room: z.string().nullable().describe('Stream of the meeting; null before it starts'),
    }),
  })
  .meta({ id: 'JoinSession' });

const reply = {
  200: { kind: 'json', schema: joinSessionBody, description: 'The join session' },
} as const;

/** Joining a meeting with only its link. */
export const joinContracts = {
  join: contract({
    id: 'session.join',
    setsCookie: true,
    method: 'post',
    path: '/v2/join/session',
    summary: 'Request to join the meeting of a link',
    description:
      'Begin a trust check with the `join_token` of the response. After it has passed, the ' +
      'session is `ready`. A cookie identifies the browser.',
    auth: ['public'],
    request: { body: joinSessionRequest },
    replies: reply,
    errors: ['invalid_state', 'link_not_active', 'not_found', 'platform_not_configured'],
    idempotent: true,
    limit: { points: 120, seconds: 60, by: 'address' },
    cors: true,
  }),
  joined: contract({
    id: 'session.joined',
    method: 'get',
    path: '/v2/join/session',
    summary: 'Get the join session of this browser or of a join token',
    description:
      'With a bearer `join_token`, returns its session in any state. Else returns the ' +
      'newest open session of this browser on the link.',
    auth: ['public', 'join-token'],
    request: { query: linkPath },
    replies: reply,
    errors: ['not_found'],
    cors: true,
  }),
} as const;
