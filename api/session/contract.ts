import { contract } from '../http/contract.ts';
import * as schemas from '../sign-in/schemas.ts';

/** One response for every cause; only the log has the reason. */
const common = {
  method: 'post',
  auth: ['public'],
  errors: ['credential_invalid'],
  limit: { points: 600, seconds: 60, by: 'address' },
} as const;
const session = {
  200: { kind: 'json', schema: schemas.sessionAnswer, description: 'The session' },
} as const;

/** The session family: exchanges a proof of identity for a session. */
export const sessionContracts = {
  portalLogin: contract({
    ...common,
    id: 'session.portalLogin',
    path: '/portal_login',
    summary: 'Sign in with a verification bundle',
    description: [
      'What a bundle is made of, and how it is judged: /docs/reference/verification-bundle. A bundle for an app or an',
      'account, or a call that names an app or a link, opens a session for that account alone: it',
      'goes on in no other, and speaks for the person nowhere else.',
    ].join(' '),
    request: { body: schemas.secureLinkRequest },
    replies: session,
  }),
  stepUp: contract({
    ...common,
    id: 'session.stepUp',
    path: '/v2/session/step_up',
    summary: 'Prove a certified device in a session, for the first time or afresh',
    description: [
      'Takes the session (as bearer token or `session_token`) and a bundle in one request. An',
      'email session becomes one of cert assurance; one that has it proves the device afresh, for',
      'what asks for a proof younger than 15 minutes (`step_up_required`). Who',
      'has nothing but login emails is adopted by the one the bundle proves: emails and',
      'memberships go over, and the sessions of the adopted person end. A person with login emails',
      'is adopted by a session of their own, not by one of a sign-in provider; nobody is by a',
      'session, or a bundle, for an app. A session for one account stays in it. What is raised',
      'ends no later than it would have: for longer, sign in by the bundle.',
    ].join(' '),
    auth: ['public', 'session'],
    request: { body: schemas.stepUpRequest },
    replies: session,
    errors: [
      'credential_ambiguous',
      'credential_invalid',
      'credential_missing',
      'identity_owned',
      'own_sign_in_required',
    ],
  }),
  switchAccount: contract({
    ...common,
    id: 'session.switchAccount',
    path: '/v2/session/switch_account',
    summary: 'Go on with a session in another account',
    description: [
      'A new token of the same session: roles as they are now, same assurance, same end.',
      'The token before it stays good. A session for one account goes on in no other.',
    ].join(' '),
    auth: ['session'],
    request: { body: schemas.switchAccountRequest },
    replies: session,
    errors: ['credential_invalid', 'membership_required'],
    limit: { points: 600, seconds: 60, by: 'caller' },
  }),
  createInvite: contract({
    ...common,
    id: 'session.createInvite',
    path: '/create_invite_exchange_token',
    summary: 'Keep a JWT behind a one-time token',
    request: { body: schemas.createInviteRequest },
    replies: {
      200: { kind: 'json', schema: schemas.createInviteAnswer, description: 'The token' },
    },
    errors: [],
    idempotent: true,
  }),
  exchangeInvite: contract({
    ...common,
    id: 'session.exchangeInvite',
    path: '/exchange_invite_token',
    summary: 'Exchange a one-time token for the JWT behind it',
    request: { body: schemas.exchangeInviteRequest },
    replies: {
      200: { kind: 'json', schema: schemas.exchangeInviteAnswer, description: 'The JWT' },
    },
    errors: ['not_found'],
  }),
  token: contract({
    ...common,
    id: 'session.token',
    path: '/api/v1/auth/token',
    summary: 'Exchange a bundle or a provider’s token for a session token',
    description: [
      'What a bundle is made of, and how it is judged: /docs/reference/verification-bundle. A provider’s access token',
      'must be one for us, given to a client that its row names; the session acts in the account',
      'of that row with the roles of the person’s groups, an hour at most and no longer than the',
      'token.',
      'While the provider cannot be asked the answer is 503, never 401.',
    ].join(' '),
    request: { body: schemas.tokenRequest },
    replies: {
      200: { kind: 'json', schema: schemas.tokenAnswer, description: 'The session token' },
    },
  }),
} as const;
