import { z } from 'zod';
import { eventTypes } from '../../workflows/events.ts';
import { pageBody, pageQuery } from '../paging.ts';
import { contract } from '../contract.ts';
import { eventBody, eventPage } from '../trust-checks/schemas.ts';
import {
  createEndpointRequest,
  endpointDescription,
  testEndpointRequest,
  updateEndpointRequest,
} from './endpoint-schemas.ts';

const types = z
  .string()
  .max(2000)
  .transform((text) => text.split(',').filter((type) => type !== ''))
  .pipe(z.array(z.enum(eventTypes)).max(eventTypes.length));

export const endpointBody = z
  .object({
    endpoint_id: z.string(),
    account_id: z.int(),
    app_id: z.string().nullable(),
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

const accountPath = z.object({
  account_id: z.coerce.number().int().min(1).max(2_147_483_647).describe('The account'),
});
const endpointPath = accountPath.extend({
  endpoint_id: z
    .string()
    .regex(/^we_[0-9a-z]{26}$/)
    .describe('The endpoint'),
});
const json = <S extends z.ZodType>(schema: S, description: string) =>
  ({ kind: 'json', schema, description }) as const;
const admin = { auth: ['key'], role: 'ADMIN' } as const;
const refusals = ['credential_invalid', 'not_found', 'role_required'] as const;
const at = '/v2/accounts/{account_id}/webhook-endpoints';

export const eventContracts = {
  list: contract({
    id: 'events.list',
    method: 'get',
    path: '/v2/events',
    summary: 'Events of the account in the order they happened',
    auth: ['key'],
    role: 'VIEWER',
    request: {
      query: z.object({
        after: z
          .string()
          .regex(/^\d{1,15}$/, 'a cursor')
          .default('0')
          .describe('`next_after` of the answer before, with the same `stream`'),
        limit: z.coerce.number().int().min(1).max(500).default(100).describe('How many at most'),
        stream: z
          .string()
          .max(100)
          .optional()
          .describe('Only those of one object, as `trust-check:{link_session_id}`'),
        types: types.optional().describe('Only these types, with commas between'),
      }),
    },
    replies: { 200: json(eventPage, 'Events') },
    errors: refusals,
  }),
  get: contract({
    id: 'events.get',
    method: 'get',
    path: '/v2/events/{event_id}',
    summary: 'One event',
    auth: ['key'],
    role: 'VIEWER',
    request: { path: z.object({ event_id: z.string().max(64).describe('The event') }) },
    replies: { 200: json(eventBody, 'The event') },
    errors: refusals,
  }),
  createEndpoint: contract({
    ...admin,
    id: 'webhook-endpoints.create',
    method: 'post',
    path: at,
    summary: 'Add a webhook endpoint; its secret is shown once',
    description: endpointDescription,
    request: { path: accountPath, body: createEndpointRequest },
    replies: { 201: json(newEndpointBody, 'The endpoint with its secret') },
    errors: [...refusals, 'forbidden_target', 'endpoint_limit', 'idempotency_mismatch'],
    idempotent: true,
  }),
  listEndpoints: contract({
    ...admin,
    id: 'webhook-endpoints.list',
    method: 'get',
    path: at,
    summary: 'Webhook endpoints',
    request: { path: accountPath, query: z.object(pageQuery) },
    replies: { 200: json(pageBody(endpointBody), 'A page of endpoints, oldest first') },
    errors: refusals,
  }),
  getEndpoint: contract({
    ...admin,
    id: 'webhook-endpoints.get',
    method: 'get',
    path: `${at}/{endpoint_id}`,
    summary: 'One webhook endpoint',
    request: { path: endpointPath },
    replies: { 200: json(endpointBody, 'The endpoint') },
    errors: refusals,
  }),
  updateEndpoint: contract({
    ...admin,
    id: 'webhook-endpoints.update',
    method: 'patch',
    path: `${at}/{endpoint_id}`,
    summary: 'Change, disable or enable a webhook endpoint',
    request: {
      path: endpointPath,
      body: updateEndpointRequest,
    },
    replies: { 200: json(endpointBody, 'The endpoint') },
    errors: [...refusals, 'forbidden_target'],
  }),
  removeEndpoint: contract({
    ...admin,
    id: 'webhook-endpoints.remove',
    method: 'delete',
    path: `${at}/{endpoint_id}`,
    summary: 'Remove a webhook endpoint',
    request: { path: endpointPath },
    replies: {
      200: json(z.object({ endpoint_id: z.string(), deleted: z.literal(true) }), 'It is gone'),
    },
    errors: refusals,
  }),
  rotateSecret: contract({
    ...admin,
    id: 'webhook-endpoints.rotateSecret',
    method: 'post',
    path: `${at}/{endpoint_id}/rotate-secret`,
    summary: 'A new secret; for 24 hours both sign',
    request: { path: endpointPath },
    replies: { 200: json(newEndpointBody, 'The endpoint with its new secret') },
    errors: [...refusals, 'idempotency_mismatch'],
    idempotent: true,
  }),
  testEndpoint: contract({
    ...admin,
    id: 'webhook-endpoints.test',
    method: 'post',
    path: `${at}/{endpoint_id}/test`,
    summary: 'Deliver a sample of an event type to this endpoint alone',
    request: { path: endpointPath, body: testEndpointRequest },
    replies: {
      201: json(
        z.object({ delivery_id: z.string(), event_id: z.string() }),
        'The delivery that is under way',
      ),
    },
    errors: [...refusals, 'invalid_state', 'idempotency_mismatch'],
    idempotent: true,
  }),
  listDeliveries: contract({
    ...admin,
    id: 'deliveries.list',
    method: 'get',
    path: `${at}/{endpoint_id}/deliveries`,
    summary: 'Deliveries with their attempts, newest first',
    request: {
      path: endpointPath,
      query: z.object(pageQuery),
    },
    replies: {
      200: json(
        pageBody(
          z.object({
            delivery_id: z.string(),
            event_id: z.string(),
            replay: z
              .int()
              .describe('0 for the first, higher for each repetition that was asked for'),
            status: z.string(),
            created_at: z.iso.datetime(),
            finished_at: z.iso.datetime().nullable().describe('When it was taken or given up'),
            attempts: z.array(
              z.object({
                attempt: z.int(),
                status: z
                  .int()
                  .nullable()
                  .describe('The HTTP status; null where there was no answer'),
                error: z.string().nullable().describe('What went wrong where there was no answer'),
                latency_ms: z.int(),
                response_start: z.string().nullable().describe('The first KiB of the answer'),
                at: z.iso.datetime(),
              }),
            ),
          }),
        ),
        'A page of deliveries',
      ),
    },
    errors: refusals,
  }),
  replayDelivery: contract({
    ...admin,
    id: 'deliveries.replay',
    method: 'post',
    path: `${at}/{endpoint_id}/deliveries/{delivery_id}/replay`,
    summary: 'Deliver once more',
    request: {
      path: endpointPath.extend({ delivery_id: z.string().max(64).describe('The delivery') }),
    },
    replies: { 201: json(z.object({ delivery_id: z.string() }), 'The new delivery') },
    errors: [...refusals, 'invalid_state', 'idempotency_mismatch'],
    idempotent: true,
  }),
} as const;
