import { z } from 'zod';
import { contract } from '../contract.ts';
import { pageBody, pageQuery } from '../paging.ts';
import { accountBody, accountPath, ownAccountBody, updateAccountRequest } from './schemas.ts';

const refusals = ['credential_invalid', 'not_found', 'role_required'] as const;
const account = {
  200: { kind: 'json', schema: accountBody, description: 'The account' },
} as const;

export const accountContracts = {
  list: contract({
    id: 'accounts.list',
    method: 'get',
    path: '/v2/accounts',
    summary: 'Accounts of the signed-in person',
    description: [
      'Those they belong to, with the roles they hold; a POLYADMIN is shown all. A session that',
      'came by a sign-in provider, or was opened for an app, is shown the account of that.',
    ].join(' '),
    auth: ['session'],
    request: { query: z.object(pageQuery) },
    replies: {
      200: { kind: 'json', schema: pageBody(ownAccountBody), description: 'A page of accounts' },
    },
    errors: ['credential_invalid'],
  }),
  get: contract({
    id: 'accounts.get',
    method: 'get',
    path: '/v2/accounts/{account_id}',
    summary: 'One account',
    auth: ['key'],
    role: 'VIEWER',
    request: { path: accountPath },
    replies: account,
    errors: ['credential_invalid', 'not_found'],
  }),
  update: contract({
    id: 'accounts.update',
    method: 'patch',
    path: '/v2/accounts/{account_id}',
    summary: 'Change what an account is called, how long it keeps images, and who judges faces',
    auth: ['key'],
    role: 'ADMIN',
    request: { path: accountPath, body: updateAccountRequest },
    replies: account,
    errors: refusals,
  }),
} as const;
