import { z } from 'zod';
import { meetingReportStates } from '../../domain/names.ts';
import { contract } from '../http/contract.ts';
import { meetingBody, meetingPath } from '../meetings/schemas.ts';

const named = meetingPath.meta({
  id: 'MeetingRequest',
  example: { platform: 'sandbox', meeting_id: 'AAECAwQFBgcICQoLDA0ODw' },
});

const detailsBody = meetingBody
  .extend({
    timeline: z
      .array(
        z.object({
          event_id: z.string(),
          type: z.string(),
          at: z.iso.datetime(),
          participant_id: z.string().nullable().describe('Whom it is about, where it is somebody'),
        }),
      )
      .describe('What happened, oldest first, at most 1,000; all of it is on the stream'),
  })
  .meta({ id: 'MeetingDetails' });

const reportBody = z
  .object({
    report_id: z.string(),
    status: z.enum(meetingReportStates).describe('Asked again it says how far it is'),
    url: z
      .string()
      .describe('Leads to the file once it is there; for ten minutes whoever has it, then members'),
  })
  .meta({ id: 'MeetingReport' });

/** Stored data of meetings, for members of the account. */
export const meetingLogContracts = {
  meeting: contract({
    id: 'logs.meeting',
    scope: 'logs:read',
    method: 'post',
    path: '/v2/logs/meeting/details',
    summary: 'One meeting in detail: participants and what happened',
    auth: ['key'],
    keyMode: 'either',
    role: 'VIEWER',
    request: { body: named },
    replies: { 200: { kind: 'json', schema: detailsBody, description: 'The meeting' } },
    errors: ['credential_invalid', 'not_found', 'role_required'],
  }),
  makeReport: contract({
    id: 'logs.makeReport',
    scope: 'logs:read',
    method: 'post',
    path: '/v2/reports/meeting',
    summary: 'Have the report of a meeting made, once it is over',
    description: 'One report a meeting: asked for again it is the same.',
    auth: ['key'],
    keyMode: 'either',
    role: 'VIEWER',
    request: { body: named },
    replies: { 200: { kind: 'json', schema: reportBody, description: 'The report' } },
    errors: [
      'credential_invalid',
      'dependency_unavailable',
      'invalid_state',
      'not_found',
      'role_required',
    ],
    idempotent: true,
  }),
  report: contract({
    id: 'logs.report',
    method: 'get',
    path: '/v2/reports/meeting/{encoded_storage_url}',
    summary: 'Download the report of a meeting',
    auth: ['public', 'key'],
    unknownFields: 'ignored',
    keyMode: 'either',
    request: {
      path: z.object({
        encoded_storage_url: z.string().max(2048).describe('The last part of the `url` it came by'),
      }),
    },
    replies: { 302: { kind: 'redirect', description: 'To the file, for a short time' } },
    errors: ['not_found'],
    limit: { points: 600, seconds: 60, by: 'address' },
  }),
} as const;
