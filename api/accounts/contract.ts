import { z } from 'zod';
import { contract, json } from '../http/contract.ts';
import { pageBody, pageQuery } from '../http/fields/paging.ts';
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
    summary: 'List the accounts of the signed-in person',
    description: [
      'Lists the accounts of the person with their roles there. A POLYADMIN gets all accounts. A',
      'session of a sign-in provider or of an app gets only the account of that provider or app.',
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
    summary: 'Get an account',
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
    summary: 'List the open invitations of the signed-in person',
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
      'A person becomes a member when they accept. An account invites a person by `poly_user_id`',
      'or by an address that they have proved. An invitation expires after 30 days. To act in the',
      'account, call `switch_account`. Later sign-ins still act in the account joined first.',
    ].join(' '),
    auth: ['session'],
    actsFor: 'person',
    request: { path: accountPath },
    replies: {
      200: json(joinedBody, 'The membership, accepted by this request or an earlier one'),
    },
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
      200: json(
        z.object({ account_id: z.int(), declined: z.literal(true) }),
        'Invitation declined',
      ),
    },
    errors: ['credential_invalid', 'not_found'],
  }),
  leave: contract({
    id: 'accounts.leave',
    assurance: 'cert',
    method: 'delete',
    path: '/v2/accounts/{account_id}/membership',
    summary: 'Leave an account',
    description: [
      'Ends the membership of the caller and its sessions. Roles from provider groups return at',
      'the next sign-in through that provider. A person with a certified device needs a session',
      'that proved it within the last 15 minutes.',
    ].join(' '),
    auth: ['session'],
    actsFor: 'person',
    request: { path: accountPath },
    replies: {
      200: json(z.object({ account_id: z.int(), deleted: z.literal(true) }), 'Membership ended'),
    },
    errors: ['credential_invalid', 'last_admin', 'not_found'],
  }),
  update: contract({
    id: 'accounts.update',
    assurance: 'cert',
    method: 'patch',
    path: '/v2/accounts/{account_id}',
    summary: 'Change the name, logo or settings of an account',
    auth: ['key'],
    keyMode: 'live',
    role: 'ADMIN',
    request: { path: accountPath, body: updateAccountRequest },
    replies: account,
    errors: refusals,
  }),
} as const;
