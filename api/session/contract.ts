import { contract } from '../contract.ts';
import * as schemas from './schemas.ts';

/** One body for every cause; what was wrong is in the log only. */
const common = {
  method: 'post',
  auth: ['public'],
  errors: ['credential_invalid'],
  limit: { points: 600, seconds: 60, by: 'address' },
} as const;

/** The session family: how a proof of who one is becomes a session. */
export const sessionContracts = {
  portalLogin: contract({
    ...common,
    id: 'session.portalLogin',
    path: '/portal_login',
    summary: 'Sign in with a verification bundle',
    description: 'What a bundle is made of, and how it is judged: /docs#bundle.',
    request: { body: schemas.secureLinkRequest },
    replies: {
      200: { kind: 'json', schema: schemas.sessionAnswer, description: 'The session' },
    },
  }),
  token: contract({
    ...common,
    id: 'session.token',
    path: '/api/v1/auth/token',
    summary: 'Exchange a bundle or a provider’s token for a session token',
    description: 'What a bundle is made of, and how it is judged: /docs#bundle.',
    request: { body: schemas.tokenRequest },
    replies: {
      200: { kind: 'json', schema: schemas.tokenAnswer, description: 'The session token' },
    },
  }),
} as const;
