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
    description:
      'The format and verification of a bundle: /docs/reference/verification-bundle. A ' +
      'bundle for an app or account, or a request that names an app or link, opens a ' +
      'session that is limited to that account.',
    request: { body: schemas.secureLinkRequest },
    replies: session,
  }),
  stepUp: contract({
    ...common,
    id: 'session.stepUp',
    path: '/v2/session/step_up',
    summary: 'Prove a certified device in a session, or renew the proof',
    description:
      'Takes the session (as bearer token or `session_token`) and a bundle. An email ' +
      'session gets cert assurance. A cert session renews its proof, for operations that ' +
      'need one from the last 15 minutes (`step_up_required`). If the person has only ' +
      'login emails, their emails and memberships move to the person of the bundle, and ' +
      'their sessions end. This needs a session of their own: it must not come from a ' +
      'sign-in provider, and neither session nor bundle can be for an app. A session for ' +
      'one account stays in it. The session keeps its expiry; to get a later one, sign in ' +
      'with the bundle.',
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
    summary: 'Switch a session to another account',
    description:
      'Returns a new token of the same session with the current roles, and the same ' +
      'assurance and expiry. The old token stays valid. A session for one account cannot ' +
      'switch.',
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
    summary: 'Store a JWT under a one-time token',
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
    summary: 'Exchange a one-time token for the stored JWT',
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
    description:
      'The format and verification of a bundle: /docs/reference/verification-bundle. A ' +
      'provider’s access token must be issued for this service, to a client in the ' +
      'settings of the provider. The session acts in the account of the provider, with the ' +
      'roles of the person’s groups, for at most an hour and no longer than the token. If ' +
      'the provider cannot be reached, the response is 503, never 401.',
    request: { body: schemas.tokenRequest },
    replies: {
      200: { kind: 'json', schema: schemas.tokenAnswer, description: 'The session token' },
    },
  }),
} as const;
