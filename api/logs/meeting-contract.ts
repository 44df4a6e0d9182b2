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
          participant_id: z
            .string()
            .nullable()
            .describe('The participant of the event; null if it has none'),
        }),
      )
      .describe('Events, oldest first, at most 1,000; the stream has all of them'),
  })
  .meta({ id: 'MeetingDetails' });

const reportBody = z
  .object({
    report_id: z.string(),
    status: z
      .enum(meetingReportStates)
      .describe('State of the report; repeat the call to update it'),
    url: z
      .string()
      .describe(
        'URL of the file once it exists. For ten minutes it works for anyone, then only for ' +
          'members',
      ),
  })
  .meta({ id: 'MeetingReport' });

/** Stored data of meetings, for members of the account. */
export const meetingLogContracts = {
  meeting: contract({
    id: 'logs.meeting',
    scope: 'logs:read',
    method: 'post',
    path: '/v2/logs/meeting/details',
    summary: 'Get a meeting with its participants and events',
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
    summary: 'Create the report of a meeting that has ended',
    description: 'A meeting has one report; a repeated call returns it.',
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
        encoded_storage_url: z.string().max(2048).describe('Last part of the `url` of the report'),
      }),
    },
    replies: {
      302: { kind: 'redirect', description: 'Redirect to the file, valid for a short time' },
    },
    errors: ['not_found'],
    limit: { points: 600, seconds: 60, by: 'address' },
  }),
} as const;
