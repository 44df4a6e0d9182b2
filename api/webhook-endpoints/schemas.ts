import { z } from 'zod';
import { eventTypes } from '../../workflows/events.ts';
import { accountPath } from '../accounts/schemas.ts';
import { anyUrl } from '../http/fields/fields.ts';

const url = anyUrl.meta({
  description: 'https URL at a public address; in development also http on this machine',
});
const types = z
  .array(z.enum(eventTypes))
  .max(eventTypes.length)
  .meta({ description: 'Event types to deliver; an empty list means all, including future ones' });

export const endpointPath = accountPath.extend({
  endpoint_id: z
    .string()
    .regex(/^we_[0-9a-z]{26}$/)
    .describe('ID of the endpoint'),
});

export const endpointBody = z
  .object({
    endpoint_id: z.string(),
    account_id: z.int(),
    app_id: z.string().nullable(),
    livemode: z.boolean().describe('`true` for live events only; `false` for test events only'),
    url: z.string(),
    types: z.array(z.string()).describe('Event types to deliver; empty for all'),
    description: z.string().nullable(),
    status: z.enum(['enabled', 'disabled']),
    disabled_reason: z
      .string()
      .nullable()
      .describe('`gone` after a 410 response, `by_request`, or null'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'WebhookEndpoint' });
export const newEndpointBody = endpointBody
  .extend({
    secret: z.string().describe('Secret that signs, returned only here: `whsec_` and base64'),
  })
  .meta({ id: 'NewWebhookEndpoint' });

export const createEndpointRequest = z
  .object({
    url,
    types: types.default([]),
    app_id: z
      .string()
      .max(63)
      .optional()
      .meta({ description: 'Only events of this app of the account' }),
    livemode: z
      .boolean()
      .optional()
      .describe(
        '`false` for test events only; `true` for live events only. By default the mode of ' +
          'the app, else of the API key, else live',
      ),
    description: z.string().max(200).optional().describe('Your description of the endpoint'),
  })
  .meta({
    id: 'CreateWebhookEndpointRequest',
    example: {
      url: 'https://hooks.example.com/trustcheck',
      types: ['trust_check.passed', 'trust_check.failed'],
      description: 'Outcomes for our own records',
    },
  });

export const updateEndpointRequest = z
  .object({
    url: url.optional(),
    types: types.optional(),
    description: z
      .string()
      .max(200)
      .nullable()
      .optional()
      .describe('Your description of the endpoint; null removes it'),
    status: z
      .enum(['enabled', 'disabled'])
      .optional()
      .describe('A `disabled` endpoint does not get events, not even later'),
  })
  .meta({ id: 'UpdateWebhookEndpointRequest', example: { types: [], status: 'enabled' } });

export const testEndpointRequest = z
  .object({ type: z.enum(eventTypes).describe('Event type of the sample') })
  .meta({ example: { type: 'trust_check.passed' } });

/** Instructions for receivers, shown where an endpoint is created. */
export const endpointDescription = [
  'Each event is a JSON POST, signed by Standard Webhooks 1.0. `webhook-id` is the ' +
    'event_id, the same in every attempt: drop repeated ones. `webhook-timestamp` is the ' +
    'time of the attempt in seconds since 1970: refuse it if it is more than five ' +
    'minutes off. `webhook-signature` has one signature for each signing secret, ' +
    'separated by spaces.',
  'To verify a signature, remove `whsec_` from the `secret` and decode the rest from ' +
    'base64: this is the key. Compute the HMAC-SHA-256 of ' +
    '`{webhook-id}.{webhook-timestamp}.{body}` with it, where body is the received raw ' +
    'bytes. One of the signatures must be `v1,` and the base64 of this value; compare in ' +
    'constant time. Libraries for Standard Webhooks do all of this. After ' +
    '`rotate-secret`, both the old and the new secret sign for 24 hours.',
  'Empty `types` means all of them. Events of one object can arrive out of order and ' +
    'more than once; the higher `sequence` is the newer.',
  'A 2xx response within 20 seconds accepts the event. Anything else, including a ' +
    'redirect, is retried after 5 seconds, 5 minutes, 30 minutes, 2, 5, 10, 14, 20 and ' +
    '24 hours, up to a quarter later, and never before the Retry-After of your response ' +
    '(24 hours at most). After ten attempts the delivery has failed. The endpoint stays ' +
    'enabled, and you can replay the delivery. A 410 response disables the endpoint ' +
    '(`disabled_reason` is `gone`) until you set it to `enabled`. Events of the meantime ' +
    'are not delivered; read them from `GET /v2/events`.',
].join('\n\n');
