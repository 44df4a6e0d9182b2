import { z } from 'zod';
import { eventTypes } from '../../workflows/events.ts';
import { contract, json } from '../http/contract.ts';
import { listOf } from '../http/fields/declared-rules.ts';
import { integerText } from '../http/fields/integer-text.ts';
import { eventBody, eventPage } from '../trust-checks/schemas/events.ts';

const types = z
  .string()
  .max(2000)
  .transform((text) => text.split(',').filter((type) => type !== ''))
  .pipe(z.array(z.enum(eventTypes)).max(eventTypes.length))
  .meta(listOf(eventTypes, { isGapAllowed: true }));
const refusals = ['credential_invalid', 'not_found', 'role_required'] as const;

export const eventContracts = {
  list: contract({
    id: 'events.list',
    method: 'get',
    path: '/v2/events',
    summary: 'List the events of the account in order',
    auth: ['key'],
    keyMode: 'either',
    admitsAppKeys: true,
    role: 'VIEWER',
    request: {
      query: z.object({
        after: z
          .string()
          .regex(/^\d{1,15}$/, 'must be a cursor')
          .default('0')
          .describe('`next_after` of the previous page, with the same `stream`'),
        limit: integerText(1, 500).prefault(100).describe('Maximum number of events'),
        stream: z
          .string()
          .max(100)
          .optional()
          .describe('Only events of one object, for example `trust-check:{link_session_id}`'),
        types: types.optional().describe('Only these event types, separated by commas'),
      }),
    },
    replies: { 200: json(eventPage, 'A page of events') },
    errors: refusals,
  }),
  get: contract({
    id: 'events.get',
    method: 'get',
    path: '/v2/events/{event_id}',
    summary: 'Get an event',
    auth: ['key'],
    keyMode: 'either',
    admitsAppKeys: true,
    role: 'VIEWER',
    request: { path: z.object({ event_id: z.string().max(64).describe('The event') }) },
    replies: { 200: json(eventBody, 'The event') },
    errors: refusals,
  }),
} as const;
