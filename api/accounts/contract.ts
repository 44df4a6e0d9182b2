import { z } from 'zod';
import { contract, json } from '../contract.ts';
import { pageBody, pageQuery } from '../paging.ts';
import {
  accountBody,
  accountPath,
  invitationBody,
  joinedBody,
  ownAccountBody,
  updateAccountRequest,
} from './schemas.ts';

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
    keyMode: 'live',
    role: 'VIEWER',
    request: { path: accountPath },
    replies: account,
    errors: ['credential_invalid', 'not_found'],
  }),
  invitations: contract({
    id: 'accounts.invitations',
    method: 'get',
    path: '/v2/invitations',
    summary: 'Invitations to accounts that the signed-in person has not accepted yet',
    auth: ['session'],
    actsFor: 'person',
    request: { query: z.object(pageQuery) },
    replies: { 200: json(pageBody(invitationBody), 'A page of invitations, newest first') },
    errors: ['credential_invalid'],
  }),
  accept: contract({
    id: 'accounts.accept',
    method: 'post',
    path: '/v2/accounts/{account_id}/accept',
    summary: 'Accept an invitation to an account',
    description: [
      'Nobody is a member before they accept, whether invited by their id or by an address that',
      'they have proved. An invitation lives for 30 days. Go on in the account by',
      '`switch_account`: where later sign-ins land does not change.',
    ].join(' '),
    auth: ['session'],
    actsFor: 'person',
    request: { path: accountPath },
    replies: { 200: json(joinedBody, 'The membership, accepted now or before') },
    errors: ['credential_invalid', 'not_found'],
  }),
  decline: contract({
    id: 'accounts.decline',
    method: 'post',
    path: '/v2/accounts/{account_id}/decline',
    summary: 'Decline an invitation to an account',
    description: 'Ends the invitation. The account can invite the person again.',
    auth: ['session'],
    actsFor: 'person',
    request: { path: accountPath },
    replies: {
      200: json(z.object({ account_id: z.int(), declined: z.literal(true) }), 'It has ended'),
    },
    errors: ['credential_invalid', 'not_found'],
  }),
  leave: contract({
    id: 'accounts.leave',
    method: 'delete',
    path: '/v2/accounts/{account_id}/membership',
    summary: 'Leave an account',
    description: [
      'Ends the caller’s own membership, and the sessions that stand on it. What the groups of a',
      'sign-in provider gave comes back with the next sign-in by it.',
    ].join(' '),
    auth: ['session'],
    actsFor: 'person',
    request: { path: accountPath },
    replies: {
      200: json(z.object({ account_id: z.int(), deleted: z.literal(true) }), 'It has ended'),
    },
    errors: ['credential_invalid', 'last_admin', 'not_found'],
  }),
  update: contract({
    id: 'accounts.update',
    assurance: 'cert',
    method: 'patch',
    path: '/v2/accounts/{account_id}',
    summary: 'Change what an account is called, how long it keeps images, and who judges faces',
    auth: ['key'],
    keyMode: 'live',
    role: 'ADMIN',
    request: { path: accountPath, body: updateAccountRequest },
    replies: account,
    errors: refusals,
  }),
} as const;
