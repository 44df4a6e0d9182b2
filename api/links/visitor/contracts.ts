import { z } from 'zod';
import { ticketSeverities, ticketStates } from '../../../domain/names.ts';
import { contract } from '../../http/contract.ts';
import { emailText, shortText, metadata } from '../../http/fields/fields.ts';
import * as schemas from '../schemas.ts';

const successReplies = {
  200: {
    kind: 'page',
    types: ['text/html', 'application/json', 'image/svg+xml'],
    schema: schemas.successBody,
    description: 'Page, JSON or SVG, by format_type and `Accept`',
  },
} as const;
const success = {
  method: 'get',
  description:
    'The page that people see at the end. It shows the organization of the check, but ' +
    'not the result. Anybody can open it, so it proves nothing.',
  auth: ['public'],
  replies: successReplies,
  errors: ['not_found'],
} as const;

const ticket = {
  method: 'post',
  description: 'The text is stored encrypted, and no page shows it.',
  auth: ['public', 'key'],
  keyMode: 'either',
  admitsAppKeys: true,
  replies: {
    200: {
      kind: 'json',
      schema: z
        .object({
          ticket_id: z.string(),
          status: z.enum(ticketStates),
          created_at: z.iso.datetime(),
        })
        .meta({ id: 'Ticket' }),
      description: 'The ticket',
    },
  },
  errors: ['not_found'],
  idempotent: true,
  limit: { points: 20, seconds: 3600, by: 'caller' },
  cors: true,
} as const;
const ticketRequest = z
  .object({
    subject: shortText(200).optional().describe('Subject, in one line'),
    description: shortText(10_000).optional().describe('Description of the problem'),
    severity: z.enum(ticketSeverities).optional().describe('Severity; `normal` by default'),
    contact_email: emailText.optional().describe('Email address for a reply'),
    context: metadata.optional().describe('Technical details: version, page, device'),
  })
  .meta({
    id: 'TicketRequest',
    example: { subject: 'The camera does not start', context: { app_version: '4.1.0' } },
  });
const body = ticketRequest.optional();

/** Operations on links for people without a credential. */
export const linkVisitorContracts = {
  firstRun: contract({
    id: 'links.firstRun',
    method: 'get',
    path: '/v2/first-run',
    summary: 'Get the import link that was last opened on this phone',
    description:
      'For the first start of an app: returns the import link that was opened from the ' +
      'same IP address, on a phone of the same platform, in the last half hour. Each link ' +
      'is returned once.',
    auth: ['public'],
    request: {},
    replies: {
      200: {
        kind: 'json',
        schema: z
          .object({
            link: z
              .object({ link_uuid: z.string(), app_id: z.string(), url: z.string() })
              .nullable(),
          })
          .meta({ id: 'FirstRun' }),
        description: 'The link, or null',
      },
    },
    errors: [],
    limit: { points: 600, seconds: 60, by: 'address' },
  }),
  success: contract({
    ...success,
    id: 'links.success',
    path: '/success/{link_uuid}',
    summary: 'Success page of a link',
    unknownFields: 'ignored',
    request: {
      path: schemas.linkPath,
      query: schemas.formatQuery.extend(schemas.appQuery.shape),
    },
  }),
  successByApp: contract({
    ...success,
    id: 'links.successByApp',
    path: '/success/by-app/{app_id}',
    summary: 'Success page of an app',
    unknownFields: 'ignored',
    request: { path: schemas.appPath, query: schemas.formatQuery },
  }),
  ticket: contract({
    ...ticket,
    id: 'links.ticket',
    path: '/v2/ticket/{app_id}',
    summary: 'Report a problem to the owner of an app',
    request: { path: schemas.appPath, body },
  }),
  ticketOfLink: contract({
    ...ticket,
    id: 'links.ticketOfLink',
    path: '/v2/ticket/{app_id}/{link_uuid}',
    summary: 'Report a problem with a link',
    request: { path: schemas.appLinkPath, body },
  }),
} as const;

export type TicketBody = z.output<typeof body>;
