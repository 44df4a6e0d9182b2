import { z } from 'zod';
import { contract } from '../http/contract.ts';
import { polyUserId } from '../http/fields/ids.ts';
import * as schemas from './schemas.ts';

const page = {
  200: { kind: 'json', schema: schemas.logPage, description: 'Rows, newest first' },
} as const;
const description = [
  'Meetings and trust checks in one order: newest first, of one instant meetings before checks.',
  '`search` matches a part of the topic or organization of a meeting, whole words of the title or',
  '`reference_id` of a check, beginnings of words of a name, and whole ids of sessions and links.',
  '`next_cursor`, given as `cursor`, reads on from where the page ended, at the same cost however',
  'far down; `total` is then that of the first page.',
].join(' ');
const viewer = { auth: ['key'], keyMode: 'either', role: 'VIEWER' } as const;
const refusals = ['credential_invalid', 'not_found', 'role_required'] as const;

/** Logs by account and by person. */
export const streamContracts = {
  me: contract({
    id: 'logs.me',
    method: 'get',
    path: '/v2/logs/me',
    summary: 'List what the caller took part in, in every account',
    description: [
      description,
      'For sessions only. An API key belongs to an account and not to a person, so that it takes',
      'part in nothing: it gets 400 `session_required`. Its account is at `logs.account`.',
    ].join(' '),
    auth: ['key'],
    keyMode: 'self',
    actsFor: 'person',
    request: { query: schemas.logQuery },
    replies: page,
    errors: ['credential_invalid', 'session_required'],
  }),
  account: contract({
    ...viewer,
    id: 'logs.account',
    admitsAppKeys: true,
    method: 'get',
    path: '/v2/logs/account/{account_id}',
    summary: 'List the meetings and checks of an account',
    description: [
      description,
      'An API key that is limited to one app gets the checks of that app; one that is limited to',
      'several names `app_id`.',
    ].join(' '),
    request: {
      path: z.object({ account_id: schemas.accountOfLogs }),
      query: schemas.accountLogQuery,
    },
    replies: page,
    errors: refusals,
  }),
  user: contract({
    ...viewer,
    id: 'logs.user',
    method: 'get',
    path: '/v2/logs/user/{poly_user_id}/account/{account_id}',
    summary: 'List what a person took part in, in one account',
    description,
    request: {
      path: z.object({
        poly_user_id: polyUserId.describe('ID of the person'),
        account_id: schemas.accountOfLogs,
      }),
      query: schemas.logQuery,
    },
    replies: page,
    errors: refusals,
  }),
  continuity: contract({
    ...viewer,
    id: 'logs.continuity',
    scope: 'logs:read',
    method: 'post',
    path: '/v2/logs/continuity',
    summary: 'Get when, and how often, people were last met in an account',
    description:
      'An unknown person gets the same item as a person who was never met. Only live ' +
      'meetings count. For test API keys, only those of the sandbox and of apps in test ' +
      'mode count.',
    request: { body: schemas.continuityRequest },
    replies: {
      200: { kind: 'json', schema: schemas.continuityBody, description: 'One item per person' },
    },
    errors: refusals,
  }),
} as const;
