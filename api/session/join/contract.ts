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
      .describe('Where the meeting is taken to be; needed where the link does not say'),
    client: z.enum(joinClients).optional().describe('What asks; `web` when left out'),
    meeting_id: meetingId.optional().describe('The meeting it has to be, for who is in it already'),
    nonce: z
      .string()
      .regex(/^[\x21-\x7e]{8,128}$/, 'must be 8 to 128 visible characters')
      .optional()
      .describe(
        'Comes back in the token, so that the client knows it for the one it asked for. The ' +
          'completion of its check may name it, once',
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
    status: z.enum(joinSessionStates).describe('`ready` is let in; what the check makes of it'),
    participant_id: z.string().describe('Who they will be in the meeting'),
    platform: z.enum(meetingPlatforms),
    client: z.enum(joinClients).describe('What has asked'),
    required_proofs: z.array(z.string()),
    trust_check_session_id: z
      .string()
      .nullable()
      .describe('The check it is for: one that was begun with its `join_token`'),
    join_url: z.string().nullable().describe('Where to come in, once `ready` and a meeting is on'),
    join_token: z.string(),
    expires_at: z.iso.datetime().describe('Ten minutes for as long as nothing was begun with it'),
    socket: z.object({
      url: z.string(),
      token: z.string().describe('The same `join_token`'),
      room: z.string().nullable().describe('The stream of the meeting, once one is on'),
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
    summary: 'Ask to join the meeting of a link',
    description: [
      'A trust check that is begun with its `join_token` says who comes; once that has passed the',
      'session is `ready`. A cookie knows the browser again.',
    ].join(' '),
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
    summary: 'The join session of this browser, or of a join token',
    description: [
      'By bearer `join_token` that session, whatever became of it; else the newest one of this',
      'browser on the link that is still open.',
    ].join(' '),
    auth: ['public', 'join-token'],
    request: { query: linkPath },
    replies: reply,
    errors: ['not_found'],
    cors: true,
  }),
} as const;
