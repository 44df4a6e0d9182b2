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
      description: 'The same response for every address, whether a mail is sent or not',
    },
  },
  setsCookie: true,
} as const;
/**
 * Protects against floods only, far above the limit of mails. Below it, a caller with too many
 * requests gets the normal response.
 */
const floods = { points: 600, seconds: 60 } as const;
const description =
  'The response does not depend on the address. It sets a cookie that identifies the ' +
  'browser. Its header `Email-Code` has six digits: show them, so that a person who ' +
  'opens the mail in another browser can type them there.';
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
    summary: 'Sign in with a mailed link',
    description:
      'A link that was requested with an `app_id` opens a session that is limited to the ' +
      'account of that app.',
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
    summary: 'Attach an address with its mailed link',
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
    summary: 'Show the page of a mailed link',
    description:
      'Opening the page changes nothing: the person confirms there, and the page submits ' +
      'the token.',
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
    summary: 'List the login emails of the caller',
    auth: ['session'],
    actsFor: 'person',
    request: { query: z.object(pageQuery) },
    replies: {
      200: {
        kind: 'json',
        schema: schemas.loginEmails,
        description: 'Login emails, including revoked ones',
      },
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
    summary: 'Revoke a login email',
    description:
      'The address stays reserved for its owner. Sessions that signed in with it end. A ' +
      'repeated request changes nothing.',
    auth: ['session'],
    actsFor: 'person',
    request: { path: schemas.identityPath },
    replies: { 200: { kind: 'json', schema: schemas.loginEmail, description: 'The login email' } },
    errors: ['credential_invalid', 'last_login_email', 'not_found'],
    limit: { points: 600, seconds: 60, by: 'caller' },
    cors: true,
  }),
} as const;
