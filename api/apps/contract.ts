import { z } from 'zod';
import { accountPath } from '../accounts/schemas.ts';
import { contract, json } from '../http/contract.ts';
import { appId } from '../http/fields/ids.ts';
import { pageBody, pageQuery } from '../http/fields/paging.ts';
import { previewQuery } from './schemas/preview.ts';
import * as schemas from './schemas/schemas.ts';

const refusals = ['credential_invalid', 'not_found', 'role_required'] as const;
const admin = {
  auth: ['key'],
  keyMode: 'either',
  role: 'ADMIN',
  path: '/v2/accounts/{account_id}/apps/{app_id}',
} as const;
const viewer = {
  method: 'get',
  auth: ['key'],
  keyMode: 'either',
  admitsAppKeys: true,
  role: 'VIEWER',
} as const;
const logoIsFetched =
  'The call fetches the image once when `logo_url` changes. If that fails, nothing changes.';
const path = accountPath.extend({ app_id: appId });
const app = { 200: json(schemas.appBody, 'The app') } as const;

export const appContracts = {
  list: contract({
    id: 'apps.list',
    method: 'get',
    path: '/applications',
    summary: 'List the apps of the caller in all accounts',
    description: 'Includes archived apps; see `status`.',
    auth: ['key'],
    keyMode: 'either',
    admitsAppKeys: true,
    request: { query: z.object(pageQuery) },
    replies: { 200: json(pageBody(schemas.applicationBody), 'A page of apps') },
    errors: ['credential_invalid'],
  }),
  status: contract({
    ...viewer,
    id: 'apps.status',
    path: '/v2/app/{app_id}/status',
    summary: 'Get the status of an app',
    request: { path: z.object({ app_id: appId }) },
    replies: { 200: json(schemas.appStatusBody, 'The status of the app') },
    errors: ['credential_invalid', 'not_found'],
  }),
  users: contract({
    ...viewer,
    id: 'apps.users',
    path: '/v2/app/{app_id}/users',
    summary: 'List people who have the app or ran a check of it, last seen first',
    request: { path: z.object({ app_id: appId }), query: schemas.appUsersQuery },
    replies: { 200: json(pageBody(schemas.appUserBody), 'A page of people') },
    errors: ['credential_invalid', 'not_found'],
  }),
  create: contract({
    ...admin,
    id: 'apps.create',
    assurance: 'cert',
    method: 'put',
    summary: 'Create an app',
    description:
      'The ID is unique on the platform and is never reused: an archived app keeps it. An ' +
      'app of kind `sdk` has a `redirect_url` by default: its own success page. In ' +
      'development, an app without `apple` or `android` gets those of the simulated phone.',
    request: { path, body: schemas.createAppRequest },
    replies: { 201: json(schemas.appBody, 'The app') },
    errors: [
      ...refusals,
      'app_id_reserved',
      'app_id_taken',
      'app_limit',
      'forbidden_target',
      'idempotency_mismatch',
      'logo_refused',
    ],
    idempotent: true,
  }),
  get: contract({
    ...admin,
    id: 'apps.get',
    admitsAppKeys: true,
    method: 'get',
    summary: 'Get an app, also if it is archived',
    request: { path },
    replies: app,
    errors: refusals,
  }),
  preview: contract({
    ...viewer,
    id: 'apps.preview',
    path: '/v2/accounts/{account_id}/apps/{app_id}/preview',
    summary: 'Preview the page of a check in any state, with the branding of an app',
    description: [
      'The page only displays: it has no script, and its links and forms do nothing. Only pages',
      'of this service may frame it. Its names, numbers and pictures are examples.',
    ].join(' '),
    request: { path, query: previewQuery },
    replies: { 200: { kind: 'page', types: ['text/html'], description: 'The page' } },
    errors: refusals,
  }),
  update: contract({
    ...admin,
    id: 'apps.update',
    assurance: 'cert',
    admitsAppKeys: true,
    method: 'patch',
    summary: 'Change an app',
    description: logoIsFetched,
    request: { path, body: schemas.updateAppRequest },
    replies: app,
    errors: [...refusals, 'forbidden_target', 'invalid_state', 'logo_refused'],
  }),
  archive: contract({
    ...admin,
    id: 'apps.archive',
    assurance: 'cert',
    admitsAppKeys: true,
    method: 'delete',
    summary: 'Archive an app, so that nothing begins on it; a repeated request changes nothing',
    request: { path },
    replies: app,
    errors: refusals,
  }),
} as const;
