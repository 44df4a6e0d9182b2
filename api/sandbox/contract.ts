import { z } from 'zod';
import { eventTypes } from '../../workflows/events.ts';
import { contract } from '../http/contract.ts';
import { eventBody } from '../trust-checks/schemas/events.ts';
import { sessionBody } from '../trust-checks/schemas/schemas.ts';

const secondsMax = 30 * 24 * 3600;
const testMode = { auth: ['key'], keyMode: 'test', role: 'MEMBER', idempotent: true } as const;
const refusals = [
  'credential_invalid',
  'idempotency_mismatch',
  'not_found',
  'role_required',
] as const;

/** Effects in test mode that would otherwise take time or another person. */
export const sandboxContracts = {
  advance: contract({
    ...testMode,
    id: 'sandbox.advance',
    admitsAppKeys: true,
    method: 'post',
    path: '/v2/sandbox/advance',
    summary: 'Advance the time of a test session',
    description:
      'Moves its deadlines nearer by this time, and ends the session if one has passed: ' +
      'unopened after 72 hours, idle after 30 minutes, in all after 24 hours. Timestamps ' +
      'stay those of the real clock. A session that is in review by its `sandbox_subject` ' +
      'gets the decision of that subject. For test API keys.',
    request: {
      body: z
        .object({
          link_session_id: z.string().max(64).describe('Session of an app in test mode'),
          seconds: z.int().min(1).max(secondsMax).describe('Seconds to advance, at most 30 days'),
        })
        .meta({ example: { link_session_id: 'tc_0123456789abcdefghjkmnpqrs', seconds: 1800 } }),
    },
    replies: { 200: { kind: 'json', schema: sessionBody, description: 'The session afterwards' } },
    errors: [...refusals, 'invalid_state'],
  }),
  event: contract({
    ...testMode,
    id: 'sandbox.event',
    method: 'post',
    path: '/v2/sandbox/events',
    summary: 'Emit an event of any type to sockets, webhooks and `GET /v2/events`',
    description:
      'Sends an event with `livemode: false` on every channel, and changes nothing else. ' +
      'The event is in the stream of the account and in ' +
      '`sandbox:{account_id}:{object_id}`, never in the stream of its object. Its object ' +
      'is the session or link of `object_id`, with the status that the type implies; by ' +
      'default a sample. For test API keys.',
    request: {
      body: z
        .object({
          type: z.enum(eventTypes).describe('The type of the event'),
          object_id: z
            .string()
            .min(1)
            .max(64)
            .optional()
            .describe('ID of a session or link of an app in test mode'),
        })
        .meta({ example: { type: 'trust_check.passed' } }),
    },
    replies: { 201: { kind: 'json', schema: eventBody, description: 'The event' } },
    errors: refusals,
  }),
} as const;
