import { z } from 'zod';
import { contract } from '../http/contract.ts';
import { appQuery, linkPath } from '../links/schemas.ts';
import * as schemas from './schemas.ts';

const starting = {
  method: 'post',
  description: [
    'A host starts the meeting of a link, or enters the one that is on. A participant is added to',
    'its roster, as verified if their join session is `ready`. After the end of a meeting, its',
    'link starts another one. A link of a live app starts a sandbox meeting only if the link was',
    'made for the sandbox.',
  ].join(' '),
  auth: ['key'],
  keyMode: 'either',
  role: 'MEMBER',
  request: { path: linkPath, query: appQuery, body: schemas.startMeetingRequest },
  replies: {
    200: {
      kind: 'json',
      schema: schemas.startedBody,
      description: 'The meeting, and the URL to enter',
    },
  },
  errors: [
    'credential_invalid',
    'dependency_unavailable',
    'invalid_state',
    'link_not_active',
    'not_found',
    'platform_not_configured',
    'role_required',
    'test_mode_required',
  ],
  idempotent: true,
} as const;

/** Meetings: started by a link and tracked until they end. */
export const meetingContracts = {
  start: contract({
    ...starting,
    id: 'meetings.start',
    path: '/v2/start/{link_uuid}',
    summary: 'Start or enter the meeting of a link',
  }),
  startConfA: contract({
    ...starting,
    id: 'meetings.startConfA',
    path: '/v2/conf-a/start/{link_uuid}',
    summary: 'Start or enter the meeting of a link (older path)',
  }),
  startConfB: contract({
    ...starting,
    id: 'meetings.startConfB',
    path: '/v2/conf-b/start/{link_uuid}',
    summary: 'Start or enter the meeting of a link (older path)',
  }),
  get: contract({
    id: 'meetings.get',
    method: 'get',
    path: '/v2/meeting/{platform}/{meeting_id}',
    summary: 'Get a meeting and its participants',
    auth: ['key'],
    keyMode: 'either',
    role: 'VIEWER',
    request: { path: schemas.meetingPath },
    replies: { 200: { kind: 'json', schema: schemas.meetingBody, description: 'The meeting' } },
    errors: ['credential_invalid', 'not_found', 'role_required'],
  }),
  getByLink: contract({
    id: 'meetings.getByLink',
    method: 'get',
    path: '/v2/meeting-by-link/{link_uuid}',
    summary: 'List who is in the meeting of a link now',
    description: 'For people who have only the link: names, and how far each identity is verified.',
    auth: ['public'],
    request: { path: linkPath },
    replies: {
      200: { kind: 'json', schema: schemas.byLinkBody, description: 'The participants' },
    },
    errors: ['not_found'],
    limit: { points: 600, seconds: 60, by: 'address' },
    cors: true,
  }),
  play: contract({
    id: 'meetings.play',
    method: 'post',
    path: '/v2/sandbox/meetings/{meeting_id}/events',
    summary: 'Simulate an event in a meeting of the sandbox',
    description:
      'Replaces the reports of a conference platform: participants who enter or leave, and ' +
      'the end. The service handles it like an event of a platform, and it appears on the ' +
      'stream of the meeting. For a MEMBER, and for the bearer of a join token. A meeting ' +
      'in test mode needs a test key.',
    auth: ['key', 'join-token'],
    keyMode: 'own',
    role: 'MEMBER',
    request: {
      path: z.object({ meeting_id: schemas.meetingId }),
      body: schemas.playRequest,
    },
    replies: { 202: { kind: 'json', schema: schemas.playedBody, description: 'Event accepted' } },
    errors: ['credential_invalid', 'invalid_state', 'not_found', 'role_required'],
    idempotent: true,
    cors: true,
  }),
} as const;
