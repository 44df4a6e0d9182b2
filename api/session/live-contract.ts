import { z } from 'zod';
import { deviceId } from '../devices/schemas.ts';
import { contract } from '../http/contract.ts';
import { accountNumber } from '../http/fields/ids.ts';
import { pageBody, pageQuery } from '../http/fields/paging.ts';

const timestamp = z.iso.datetime();
const sid = z.string().regex(/^sid_[0-9a-z]{26}$/, 'must be the id of a session');
const signedOut = { 204: { kind: 'empty', description: 'Over, now or before' } } as const;

const liveSession = z
  .object({
    sid: sid.describe('What its tokens carry as `sid`'),
    auth_method: z.enum(['email', 'cert']).describe('How the person showed who they are'),
    account_id: accountNumber
      .nullable()
      .describe('The account it was opened in, or last switched to; null for none'),
    confined_to: accountNumber
      .nullable()
      .describe('The only account it goes on in: it is for an app, or by a sign-in provider'),
    device_id: deviceId.nullable().describe('The device whose key opened it'),
    device_label: z.string().nullable().describe('What its person calls the device'),
    created_at: timestamp,
    expires_at: timestamp,
    current: z.boolean().describe('Whether it is the one that asks'),
  })
  .meta({ id: 'LiveSession' });

const signOutRequest = z
  .object({
    everywhere: z
      .boolean()
      .optional()
      .describe('Every session of the person, and not this one alone'),
  })
  .meta({ id: 'SignOutRequest', example: { everywhere: true } })
  .optional();

const confined =
  'A session for one account (`confined_to`) sees and ends itself alone, whatever it asks for.';

/** A person's live sessions, and how they end. The published API does not define these. */
export const liveContracts = {
  list: contract({
    id: 'session.list',
    method: 'get',
    path: '/v2/sessions',
    summary: 'The caller’s own sessions that are on, newest first',
    description: confined,
    auth: ['session'],
    request: { query: z.object(pageQuery) },
    replies: {
      200: { kind: 'json', schema: pageBody(liveSession), description: 'A page of them' },
    },
    errors: ['credential_invalid'],
  }),
  signOut: contract({
    id: 'session.signOut',
    method: 'post',
    path: '/v2/session/sign_out',
    summary: 'Sign out: end this session, or all of the person',
    description: [
      'Every token of an ended session is refused, and its sockets receive `bye` and close: at',
      'once in the process that ended it, within five seconds in others.',
      confined,
    ].join(' '),
    auth: ['session'],
    request: { body: signOutRequest },
    replies: signedOut,
    errors: ['credential_invalid'],
  }),
  end: contract({
    id: 'session.end',
    method: 'delete',
    path: '/v2/sessions/{sid}',
    summary: 'End one of the caller’s own sessions',
    description: `One that is over is answered alike. ${confined}`,
    auth: ['session'],
    request: { path: z.object({ sid: sid.describe('The session') }) },
    replies: signedOut,
    errors: ['credential_invalid', 'not_found'],
  }),
} as const;
