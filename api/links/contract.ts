import { z } from 'zod';
import { attestFaults } from '../http/auth/attest/attest-faults.ts';
import { contract, type Reply } from '../http/contract.ts';
import { completedBody, completeQuery, completeRequest } from './complete-schemas.ts';
import * as schemas from './schemas.ts';

const link: Reply & { schema: typeof schemas.linkBody } = {
  kind: 'json',
  schema: schemas.linkBody,
  description: 'The link',
  isTagged: true,
};
const creating = {
  auth: ['key'],
  keyMode: 'either',
  admitsAppKeys: true,
  role: 'MEMBER',
  idempotent: true,
  errors: [
    'credential_invalid',
    'forbidden_target',
    'not_found',
    'role_required',
    'idempotency_mismatch',
    'idempotency_in_progress',
  ],
} as const;
const changing = {
  auth: ['key'],
  keyMode: 'either',
  admitsAppKeys: true,
  role: 'MEMBER',
  errors: ['credential_invalid', 'not_found', 'role_required', 'precondition_failed'],
} as const;
/** A session that holds the link is ended first, by its workflow. */
const removing = {
  ...changing,
  keyMode: 'own',
  admitsAppKeys: true,
  errors: [...changing.errors, 'dependency_unavailable'],
} as const;
const body = schemas.createLinkRequest;
/** The published API requires no body here: all members have defaults. */
const optionalBody = body.default({});
const ifMatch = z.object({
  'if-match': z
    .string()
    .max(80)
    .optional()
    .describe('ETag that the change is based on; 412 if it is not current'),
});

const previewReplies = {
  200: {
    kind: 'page',
    types: ['text/html', 'application/json', 'image/svg+xml'],
    schema: schemas.previewBody,
    description: 'Page, JSON details or SVG card, by format_type and `Accept`',
  },
  302: { kind: 'redirect', description: 'Redirect to the install page of the app, on a phone' },
} as const;
const removed = {
  200: { kind: 'json', schema: schemas.deletedBody, description: 'The link is deleted' },
} as const;

const completing = {
  auth: ['public'],
  attest: 'required',
  // A join session's nonce is used up before the response, which may be lost.
  idempotent: true,
  replies: {
    200: { kind: 'json', schema: completedBody, description: 'Where the person goes next' },
  },
  errors: [
    ...attestFaults,
    'credential_invalid',
    'dependency_unavailable',
    'invalid_state',
    'link_not_active',
    'not_found',
    'tos_changed',
  ],
} as const;

/** The links family. Every alias is a row that shares its handler. */
export const linkContracts = {
  createByType: contract({
    ...creating,
    id: 'links.createByType',
    method: 'put',
    path: '/v2/link/type/{link_type}',
    summary: 'Create a link of a type',
    request: { path: schemas.linkTypePath, query: schemas.appQuery, body },
    replies: { 200: link },
  }),
  createInvite: contract({
    ...creating,
    id: 'links.createInvite',
    method: 'put',
    path: '/v2/link/invite/{app_id}',
    summary: 'Create an invite link',
    request: { path: schemas.appPath, query: schemas.onlyTypeQuery('invite'), body: optionalBody },
    replies: { 200: link },
  }),
  createImport: contract({
    ...creating,
    id: 'links.createImport',
    method: 'put',
    path: '/v2/link/import/{app_id}',
    summary: 'Create an import link',
    request: { path: schemas.appPath, query: schemas.onlyTypeQuery('import'), body: optionalBody },
    replies: { 200: link },
  }),
  create: contract({
    ...creating,
    id: 'links.create',
    method: 'put',
    path: '/v2/link/{app_id}',
    summary: 'Create a link',
    request: { path: schemas.appPath, query: schemas.linkTypeQuery, body: optionalBody },
    replies: { 200: link },
  }),
  createShort: contract({
    ...creating,
    id: 'links.createShort',
    method: 'put',
    path: '/v2/{app_id}',
    summary: 'Create a link (short form)',
    request: { path: schemas.appPath, query: schemas.linkTypeQuery, body: optionalBody },
    replies: { 200: link },
  }),
  send: contract({
    ...creating,
    id: 'links.send',
    method: 'post',
    path: '/v2/link/send/{app_id}',
    summary: 'Create a single-use link and mail it',
    request: { path: schemas.appPath, body: schemas.sendLinkRequest },
    replies: {
      200: {
        kind: 'json',
        schema: schemas.sentLinkBody,
        description: 'The link and its delivery',
        isTagged: true,
      },
    },
    errors: [...creating.errors, 'dependency_unavailable'],
    limit: { points: 600, seconds: 3600, by: 'caller' },
  }),
  remove: contract({
    ...removing,
    id: 'links.remove',
    method: 'delete',
    path: '/v2/link/{app_id}/{link_uuid}',
    summary: 'Delete a link',
    request: { path: schemas.appLinkPath, headers: ifMatch },
    replies: removed,
  }),
  removeByApp: contract({
    ...removing,
    id: 'links.removeByApp',
    method: 'delete',
    path: '/v2/{app_id}/{link_uuid}',
    summary: 'Delete a link',
    request: { path: schemas.appLinkPath, headers: ifMatch },
    replies: removed,
  }),
  removeById: contract({
    ...removing,
    id: 'links.removeById',
    method: 'delete',
    path: '/v2/{link_uuid}',
    summary: 'Delete a link',
    request: { path: schemas.linkPath, query: schemas.appQuery, headers: ifMatch },
    replies: removed,
  }),
  update: contract({
    ...changing,
    id: 'links.update',
    method: 'patch',
    path: '/v2/link/{app_id}/{link_uuid}',
    summary: 'Edit a link',
    request: { path: schemas.appLinkPath, headers: ifMatch, body: schemas.updateLinkRequest },
    replies: { 200: link },
    errors: [...changing.errors, 'forbidden_target', 'invalid_state'],
  }),
  updateByApp: contract({
    ...changing,
    id: 'links.updateByApp',
    method: 'patch',
    path: '/v2/{app_id}/{link_uuid}',
    summary: 'Edit a link',
    request: { path: schemas.appLinkPath, headers: ifMatch, body: schemas.updateLinkRequest },
    replies: { 200: link },
    errors: [...changing.errors, 'forbidden_target', 'invalid_state'],
  }),
  updateById: contract({
    ...changing,
    id: 'links.updateById',
    method: 'patch',
    path: '/v2/{link_uuid}',
    summary: 'Edit a link',
    request: {
      path: schemas.linkPath,
      query: schemas.appQuery,
      headers: ifMatch,
      body: schemas.updateLinkRequest,
    },
    replies: { 200: link },
    errors: [...changing.errors, 'forbidden_target', 'invalid_state'],
  }),
  complete: contract({
    ...completing,
    id: 'links.complete',
    method: 'post',
    path: '/v2/{app_id}/{link_uuid}',
    summary: 'Complete the redirect after the app has finished with a link',
    request: {
      path: schemas.appLinkPath,
      query: completeQuery,
      body: completeRequest,
    },
  }),
  completeById: contract({
    ...completing,
    id: 'links.completeById',
    method: 'post',
    path: '/v2/{link_uuid}',
    summary: 'Complete the redirect after the app has finished with a link',
    request: {
      path: schemas.linkPath,
      query: completeQuery.extend(schemas.appQuery.shape),
      body: completeRequest,
    },
  }),
  raw: contract({
    id: 'links.raw',
    method: 'get',
    path: '/v2/raw/{link_uuid}',
    summary: 'Get a link with its matching values, policy, delivery and sessions',
    auth: ['key'],
    keyMode: 'either',
    admitsAppKeys: true,
    role: 'VIEWER',
    request: { path: schemas.linkPath, query: schemas.appQuery },
    replies: {
      200: {
        kind: 'json',
        schema: schemas.rawLinkBody,
        description: 'The raw link',
        isTagged: true,
      },
    },
    errors: ['credential_invalid', 'not_found', 'role_required'],
  }),
  preview: contract({
    id: 'links.preview',
    method: 'get',
    path: '/v2/{app_id}/{link_uuid}',
    summary: 'Preview a link',
    auth: ['public'],
    unknownFields: 'ignored',
    request: { path: schemas.appLinkPath, query: schemas.previewQuery },
    replies: previewReplies,
    errors: ['not_found'],
    cors: true,
  }),
  previewById: contract({
    id: 'links.previewById',
    method: 'get',
    path: '/v2/{link_uuid}',
    summary: 'Preview a link',
    auth: ['public'],
    unknownFields: 'ignored',
    request: { path: schemas.linkPath, query: schemas.previewQuery.extend(schemas.appQuery.shape) },
    replies: previewReplies,
    errors: ['not_found'],
    cors: true,
  }),
  details: contract({
    id: 'links.details',
    method: 'get',
    path: '/v2/preview/{format_type}/{app_id}/{link_uuid}',
    summary: 'Get a link in a given format',
    auth: ['public'],
    unknownFields: 'ignored',
    request: { path: schemas.formatPath },
    replies: previewReplies,
    errors: ['not_found'],
    cors: true,
  }),
} as const;
