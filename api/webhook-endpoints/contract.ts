import { z } from 'zod';
import { accountPath } from '../accounts/schemas.ts';
import { contract, json } from '../http/contract.ts';
import { pageBody, pageQuery } from '../http/fields/paging.ts';
import {
  createEndpointRequest,
  endpointBody,
  endpointDescription,
  endpointPath,
  newEndpointBody,
  testEndpointRequest,
  updateEndpointRequest,
} from './schemas.ts';

const admin = { auth: ['key'], keyMode: 'either', admitsAppKeys: true, role: 'ADMIN' } as const;
const refusals = ['credential_invalid', 'not_found', 'role_required'] as const;
const at = '/v2/accounts/{account_id}/webhook-endpoints';

export const webhookEndpointContracts = {
  create: contract({
    ...admin,
    id: 'webhook-endpoints.create',
    assurance: 'cert',
    method: 'post',
    path: at,
    summary: 'Create a webhook endpoint; its secret is returned only once',
    description: endpointDescription,
    request: { path: accountPath, body: createEndpointRequest },
    replies: { 201: json(newEndpointBody, 'The endpoint with its secret') },
    errors: [...refusals, 'forbidden_target', 'endpoint_limit', 'idempotency_mismatch'],
    idempotent: true,
  }),
  list: contract({
    ...admin,
    id: 'webhook-endpoints.list',
    method: 'get',
    path: at,
    summary: 'List the webhook endpoints',
    request: { path: accountPath, query: z.object(pageQuery) },
    replies: { 200: json(pageBody(endpointBody), 'A page of endpoints, oldest first') },
    errors: refusals,
  }),
  get: contract({
    ...admin,
    id: 'webhook-endpoints.get',
    method: 'get',
    path: `${at}/{endpoint_id}`,
    summary: 'Get a webhook endpoint',
    request: { path: endpointPath },
    replies: { 200: json(endpointBody, 'The endpoint') },
    errors: refusals,
  }),
  update: contract({
    ...admin,
    id: 'webhook-endpoints.update',
    assurance: 'cert',
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
  remove: contract({
    ...admin,
    id: 'webhook-endpoints.remove',
    assurance: 'cert',
    method: 'delete',
    path: `${at}/{endpoint_id}`,
    summary: 'Remove a webhook endpoint',
    request: { path: endpointPath },
    replies: {
      200: json(
        z.object({ endpoint_id: z.string(), deleted: z.literal(true) }),
        'Endpoint removed',
      ),
    },
    errors: refusals,
  }),
  rotateSecret: contract({
    ...admin,
    id: 'webhook-endpoints.rotateSecret',
    assurance: 'cert',
    method: 'post',
    path: `${at}/{endpoint_id}/rotate-secret`,
    summary: 'Create a new secret; both secrets sign for 24 hours',
    request: { path: endpointPath },
    replies: { 200: json(newEndpointBody, 'The endpoint with its new secret') },
    errors: [...refusals, 'idempotency_mismatch'],
    idempotent: true,
  }),
  test: contract({
    ...admin,
    id: 'webhook-endpoints.test',
    method: 'post',
    path: `${at}/{endpoint_id}/test`,
    summary: 'Deliver a sample of an event type to this endpoint only',
    request: { path: endpointPath, body: testEndpointRequest },
    replies: {
      201: json(
        z.object({ delivery_id: z.string(), event_id: z.string() }),
        'The started delivery',
      ),
    },
    errors: [...refusals, 'invalid_state', 'idempotency_mismatch'],
    idempotent: true,
  }),
} as const;
