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
    summary: 'Let the time of a test session pass',
    description: [
      'Its deadlines come nearer by so much, and one that has passed then ends it: unopened after',
      '72 hours, idle after 30 minutes, in all after 24 hours. What is dated stays dated by the',
      'real clock. One in review by its `sandbox_subject` is decided as that says. For API keys of',
      'test mode.',
    ].join(' '),
    request: {
      body: z
        .object({
          link_session_id: z.string().max(64).describe('A session of an app in test mode'),
          seconds: z.int().min(1).max(secondsMax).describe('How many, up to those of 30 days'),
        })
        .meta({ example: { link_session_id: 'tc_0123456789abcdefghjkmnpqrs', seconds: 1800 } }),
    },
    replies: { 200: { kind: 'json', schema: sessionBody, description: 'The session after it' } },
    errors: [...refusals, 'invalid_state'],
  }),
  event: contract({
    ...testMode,
    id: 'sandbox.event',
    method: 'post',
    path: '/v2/sandbox/events',
    summary: 'Make an event of any type, for sockets, webhooks and `GET /v2/events`',
    description: [
      'It leaves by every way, with `livemode: false`, and nothing has happened but it: it stands',
      'in the stream of the account and in one of its own, `sandbox:{account_id}:{object_id}`,',
      'never in that of its object. Without `object_id` that is a sample; with it, the session or',
      'link of that id, with the status that the type tells of. For API keys of test mode.',
    ].join(' '),
    request: {
      body: z
        .object({
          type: z.enum(eventTypes).describe('The type of the event'),
          object_id: z
            .string()
            .min(1)
            .max(64)
            .optional()
            .describe('A session or a link of an app in test mode'),
        })
        .meta({ example: { type: 'trust_check.passed' } }),
    },
    replies: { 201: { kind: 'json', schema: eventBody, description: 'The event' } },
    errors: refusals,
  }),
} as const;
