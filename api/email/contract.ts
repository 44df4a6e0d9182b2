import { z } from 'zod';
import { contract } from '../http/contract.ts';
import { pageQuery } from '../http/fields/paging.ts';
import { localeQuery } from '../http/server/locale.ts';
import { sessionAnswer } from '../sign-in/schemas.ts';
import * as schemas from './schemas.ts';

const asked = {
  method: 'post',
  request: { body: schemas.emailLoginRequest },
  replies: {
    202: {
      kind: 'json',
      schema: schemas.emailAccepted,
      description: 'The same for every address, whether a mail is sent or not',
    },
  },
  setsCookie: true,
} as const;
/**
 * Protects against floods only, far above the limit of mails. Below it, a caller with too many
 * requests gets the normal response (interface §8).
 */
const floods = { points: 600, seconds: 60 } as const;
const description = [
  'The answer tells nothing of the address. It sets a cookie by which the browser that asked is',
  'known again, and carries in `Email-Code` six digits to show: who opens the mail elsewhere types',
  'them there.',
].join(' ');
const answered = ['email_code_required', 'email_token_invalid'] as const;

/** The email family: sign-in by address, and the login emails of a person. */
export const emailContracts = {
  requestLogin: contract({
    ...asked,
    id: 'email.requestLogin',
    path: '/v2/email/login/request',
    summary: 'Mail a link to sign in',
    description,
    auth: ['public'],
    errors: ['forbidden_target', 'not_found'],
    limit: { ...floods, by: 'address' },
    cors: true,
  }),
  verifyLogin: contract({
    id: 'email.verifyLogin',
    method: 'post',
    path: '/v2/email/login/verify',
    summary: 'Sign in by a mailed link',
    description:
      'One that was asked for with an `app_id` opens a session for the account of that app alone.',
    auth: ['public'],
    request: { body: schemas.emailLoginVerifyRequest },
    replies: { 200: { kind: 'json', schema: sessionAnswer, description: 'The session' } },
    errors: answered,
    limit: { points: 60, seconds: 60, by: 'address' },
    cors: true,
  }),
  requestLink: contract({
    ...asked,
    id: 'email.requestLink',
    assurance: 'cert',
    path: '/v2/email/link/request',
    summary: 'Mail a link to attach an address to the caller',
    description,
    auth: ['session'],
    actsFor: 'person',
    errors: ['assurance_required', 'credential_invalid', 'forbidden_target', 'not_found'],
    limit: { ...floods, by: 'caller' },
    cors: true,
  }),
  verifyLink: contract({
    id: 'email.verifyLink',
    method: 'post',
    path: '/v2/email/link/verify',
    summary: 'Attach an address by its mailed link',
    auth: ['session'],
    actsFor: 'person',
    request: { body: schemas.emailLinkVerifyRequest },
    replies: { 200: { kind: 'json', schema: schemas.emailLinked, description: 'The login email' } },
    errors: [...answered, 'assurance_required', 'credential_invalid', 'identity_owned'],
    limit: { points: 60, seconds: 60, by: 'caller' },
    cors: true,
  }),
  page: contract({
    id: 'email.page',
    method: 'get',
    path: '/email/verify',
    summary: 'The page of a mailed link',
    description:
      'Opening it changes nothing: its reader confirms, and the page hands the token in.',
    auth: ['public'],
    unknownFields: 'ignored',
    request: { query: localeQuery },
    replies: { 200: { kind: 'page', types: ['text/html'], description: 'The page' } },
    errors: [],
  }),
  list: contract({
    id: 'email.list',
    method: 'get',
    path: '/v2/email/link',
    summary: 'The login emails of the caller',
    auth: ['session'],
    actsFor: 'person',
    request: { query: z.object(pageQuery) },
    replies: {
      200: { kind: 'json', schema: schemas.loginEmails, description: 'Revoked ones too' },
    },
    errors: ['credential_invalid'],
    limit: { points: 600, seconds: 60, by: 'caller' },
    cors: true,
  }),
  revoke: contract({
    id: 'email.revoke',
    assurance: 'cert',
    method: 'delete',
    path: '/v2/email/link/{identity_id}',
    summary: 'Stop signing in by an address',
    description:
      'The address stays reserved for its owner; sessions that came by it end. Again: the same.',
    auth: ['session'],
    actsFor: 'person',
    request: { path: schemas.identityPath },
    replies: { 200: { kind: 'json', schema: schemas.loginEmail, description: 'The login email' } },
    errors: ['credential_invalid', 'last_login_email', 'not_found'],
    limit: { points: 600, seconds: 60, by: 'caller' },
    cors: true,
  }),
} as const;
