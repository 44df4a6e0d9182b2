import { z } from 'zod';
import { deviceId } from '../devices/schemas.ts';
import { contract } from '../http/contract.ts';
import { accountNumber } from '../http/fields/ids.ts';
import { pageBody, pageQuery } from '../http/fields/paging.ts';

const timestamp = z.iso.datetime();
const sid = z.string().regex(/^sid_[0-9a-z]{26}$/, 'must be the id of a session');
const signedOut = {
  204: { kind: 'empty', description: 'The session is ended, now or earlier' },
} as const;

const liveSession = z
  .object({
    sid: sid.describe('ID of the session, in its tokens as `sid`'),
    auth_method: z.enum(['email', 'cert']).describe('How the person signed in'),
    account_id: accountNumber
      .nullable()
      .describe('Account of the sign-in or of the last switch; null if none'),
    confined_to: accountNumber
      .nullable()
      .describe(
        'Only account of the session, if it is for an app or by a sign-in provider; else null',
      ),
    device_id: deviceId.nullable().describe('Device that signed in with its key; null if none'),
    device_label: z.string().nullable().describe('Name that the person gave the device'),
    created_at: timestamp,
    expires_at: timestamp,
    current: z.boolean().describe('Whether it is the session of this request'),
  })
  .meta({ id: 'LiveSession' });

const signOutRequest = z
  .object({
    everywhere: z
      .boolean()
      .optional()
      .describe('Whether to end all sessions of the person instead of this one'),
  })
  .meta({ id: 'SignOutRequest', example: { everywhere: true } })
  .optional();

const confined =
  'A session that is limited to one account (`confined_to`) sees and ends only itself.';

/** A person's live sessions, and how they end. The published API does not define these. */
export const liveContracts = {
  list: contract({
    id: 'session.list',
    method: 'get',
    path: '/v2/sessions',
    summary: 'List the caller’s own active sessions, newest first',
    description: confined,
    auth: ['session'],
    request: { query: z.object(pageQuery) },
    replies: {
      200: { kind: 'json', schema: pageBody(liveSession), description: 'A page of sessions' },
    },
    errors: ['credential_invalid'],
  }),
  signOut: contract({
    id: 'session.signOut',
    method: 'post',
    path: '/v2/session/sign_out',
    summary: 'Sign out of this session, or of all sessions of the person',
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
    description: `An ended session gets the same response. ${confined}`,
    auth: ['session'],
    request: { path: z.object({ sid: sid.describe('ID of the session') }) },
    replies: signedOut,
    errors: ['credential_invalid', 'not_found'],
  }),
} as const;
