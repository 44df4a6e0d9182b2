import { z } from 'zod';
import { eventTypes } from '../../workflows/events.ts';
import { accountPath } from '../accounts/schemas.ts';
import { anyUrl } from '../http/fields/fields.ts';

const url = anyUrl.meta({
  description: 'https at a public address; in development also http at this machine',
});
const types = z
  .array(z.enum(eventTypes))
  .max(eventTypes.length)
  .meta({ description: 'Types of event to deliver; empty means all, those to come as well' });

export const endpointPath = accountPath.extend({
  endpoint_id: z
    .string()
    .regex(/^we_[0-9a-z]{26}$/)
    .describe('The endpoint'),
});

export const endpointBody = z
  .object({
    endpoint_id: z.string(),
    account_id: z.int(),
    app_id: z.string().nullable(),
    livemode: z
      .boolean()
      .describe('`true`: it receives live events only; `false`: test events only'),
    url: z.string(),
    types: z.array(z.string()).describe('Types it is sent; empty for all'),
    description: z.string().nullable(),
    status: z.enum(['enabled', 'disabled']),
    disabled_reason: z
      .string()
      .nullable()
      .describe('`gone` after an answer 410, `by_request`, or null'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'WebhookEndpoint' });
export const newEndpointBody = endpointBody
  .extend({
    secret: z.string().describe('Shown here alone; what signs, in the form `whsec_` and base64'),
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
        '`false`: only events in test mode; `true`: only live events. Without it: the mode of ' +
          'the app, else of the API key, else live',
      ),
    description: z.string().max(200).optional().describe('What it is for, in words of yours'),
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
      .describe('What it is for, in words of yours; null for none'),
    status: z
      .enum(['enabled', 'disabled'])
      .optional()
      .describe('What happens while it is `disabled` is not sent later either'),
  })
  .meta({ id: 'UpdateWebhookEndpointRequest', example: { types: [], status: 'enabled' } });

export const testEndpointRequest = z
  .object({ type: z.enum(eventTypes).describe('The type to send a sample of') })
  .meta({ example: { type: 'trust_check.passed' } });

/** Instructions for receivers, shown where an endpoint is created. */
export const endpointDescription = [
  'Each event is sent as JSON by POST, signed as Standard Webhooks 1.0 says. `webhook-id` is the ' +
    'event_id, the same at every attempt: drop what you have seen. `webhook-timestamp` is the ' +
    'time of the attempt in seconds since 1970: refuse what is more than five minutes off. ' +
    '`webhook-signature` holds one signature for each secret that signs, with spaces between.',
  'To check one: take the `secret` without its `whsec_` and decode it from base64; that is the ' +
    'key. Make the HMAC-SHA-256 of `{webhook-id}.{webhook-timestamp}.{body}` with it, the body ' +
    'as the raw bytes that came. One of the signatures has to be `v1,` and its base64; compare ' +
    'in constant time. Libraries for Standard Webhooks do all of it. After `rotate-secret` the ' +
    'old and the new secret both sign for 24 hours.',
  'Empty `types` means all of them. Events of one object may come out of order and more than ' +
    'once; `sequence` says which is the newer.',
  'An answer 2xx within 20 seconds takes the event. Anything else, a redirect too, is tried ' +
    'again after 5 seconds, 5 minutes, 30 minutes, 2, 5, 10, 14, 20 and 24 hours, up to a ' +
    'quarter later, and never before the Retry-After of your answer (24 hours at most). After ' +
    'ten attempts the delivery has failed; the endpoint stays enabled, and the delivery can be ' +
    'replayed. An answer 410 disables the endpoint (`disabled_reason` is `gone`) until it is ' +
    'changed to `enabled`; what was to be sent meanwhile is not, and can be read from ' +
    '`GET /v2/events`.',
].join('\n\n');
