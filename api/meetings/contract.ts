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
      description: 'The meeting, and the way into it',
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
    summary: 'Start the meeting of a link, or come into it',
  }),
  startConfA: contract({
    ...starting,
    id: 'meetings.startConfA',
    path: '/v2/conf-a/start/{link_uuid}',
    summary: 'The same, by an older address',
  }),
  startConfB: contract({
    ...starting,
    id: 'meetings.startConfB',
    path: '/v2/conf-b/start/{link_uuid}',
    summary: 'The same, by an older address',
  }),
  get: contract({
    id: 'meetings.get',
    method: 'get',
    path: '/v2/meeting/{platform}/{meeting_id}',
    summary: 'A meeting and who is or was in it',
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
    summary: 'Who is in the meeting of a link now',
    description:
      'For people who have nothing but the link: names, and how sure it is who they are.',
    auth: ['public'],
    request: { path: linkPath },
    replies: {
      200: { kind: 'json', schema: schemas.byLinkBody, description: 'Who is there' },
    },
    errors: ['not_found'],
    limit: { points: 600, seconds: 60, by: 'address' },
    cors: true,
  }),
  play: contract({
    id: 'meetings.play',
    method: 'post',
    path: '/v2/sandbox/meetings/{meeting_id}/events',
    summary: 'Have something happen in a meeting of the sandbox',
    description: [
      'In place of a conference platform, which would tell of it: who comes and goes, and the end.',
      'It is taken as an event of a platform is, and shows on the stream of the meeting. For a',
      'MEMBER and for the bearer of a join token. A meeting in test mode takes a test key.',
    ].join(' '),
    auth: ['key', 'join-token'],
    keyMode: 'own',
    role: 'MEMBER',
    request: {
      path: z.object({ meeting_id: schemas.meetingId }),
      body: schemas.playRequest,
    },
    replies: { 202: { kind: 'json', schema: schemas.playedBody, description: 'It is taken' } },
    errors: ['credential_invalid', 'invalid_state', 'not_found', 'role_required'],
    idempotent: true,
    cors: true,
  }),
} as const;
