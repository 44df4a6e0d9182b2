import { z } from 'zod';
import { roles } from '../../domain/names.ts';
import { accountNumber } from '../http/fields/ids.ts';

const timestamp = z.iso.datetime();

/**
 * Any text that a body can have: an invalid token is a wrong credential (401), not a wrong form.
 */
export const token = z
  .string()
  .min(1)
  .max(256 * 1024);

const secureLink = z.object({
  raw_jwt: token
    .optional()
    .meta({ description: 'The verification bundle: /docs/reference/verification-bundle' }),
  jwt: token.optional().meta({ description: 'Other name of `raw_jwt`' }),
  account_id: accountNumber
    .optional()
    .describe('Account to act in; by default the one joined first'),
  app_id: z.string().min(1).max(63).optional().describe('App; the session acts in its account'),
  link_uuid: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional()
    .describe('Link; the session acts in its account'),
  session_token: token
    .optional()
    .meta({ description: 'Session token for step-up, if not in Authorization' }),
});
const hasBundle = ({ raw_jwt, jwt }: z.output<typeof secureLink>): boolean =>
  raw_jwt !== undefined || jwt !== undefined;
const agrees = ({ raw_jwt, jwt }: z.output<typeof secureLink>): boolean =>
  raw_jwt === undefined || jwt === undefined || raw_jwt === jwt;
const differ = { message: 'raw_jwt and jwt are two names of one thing and differ', path: ['jwt'] };
const example = { raw_jwt: 'eyJhbGciOiJFUzI1NiJ9.eyJqdGkiOiIxIn0.c2lnbmF0dXJl', account_id: 1 };

export const secureLinkRequest = secureLink
  .refine(hasBundle, { message: 'the bundle is required', path: ['raw_jwt'] })
  .refine(agrees, differ)
  .meta({ id: 'SecureLinkRequest', example });

/**
 * The bundle is checked after the session: without a session the response is 401, whatever the
 * body.
 */
export const stepUpRequest = secureLink.refine(agrees, differ).meta({
  id: 'StepUpRequest',
  description: 'A SecureLinkRequest: the bundle in raw_jwt (or jwt) is required',
  example,
});

export const switchAccountRequest = z
  .object({ account_id: accountNumber.describe('An account of the person') })
  .meta({ id: 'SwitchAccountRequest', example: { account_id: 1 } });

const inviteJwtBytesMax = 8 * 1024;

export const createInviteRequest = z
  .object({
    raw_jwt: z
      .string()
      .max(inviteJwtBytesMax)
      .regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/, 'must be a compact JWT')
      .meta({ description: 'Any JWT in compact form; stored encrypted for five minutes' }),
  })
  .meta({ id: 'CreateInviteRequest', example: { raw_jwt: example.raw_jwt } });

export const createInviteAnswer = z
  .object({
    token: z.string().meta({ description: 'One-time token, valid for one exchange' }),
    expires_at: timestamp,
  })
  .meta({ id: 'CreateInviteAnswer' });

export const exchangeInviteRequest = z
  .object({ token: z.string().min(1).max(256).describe('Token of the creation response') })
  .meta({
    id: 'ExchangeInviteRequest',
    example: { token: 'nJ2yqk8Q9QyqBzv1bq8l1m0xw6Vb0oYw2n4m7d3C9sE' },
  });

export const exchangeInviteAnswer = z
  .object({ raw_jwt: z.string() })
  .meta({ id: 'ExchangeInviteAnswer' });

export const sessionAnswer = z
  .object({
    session_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_at: timestamp,
    auth_method: z.enum(['email', 'cert']).describe('How the person signed in'),
    account_id: accountNumber.nullable().describe('Account that the session acts in; null if none'),
    roles: z.array(z.enum(roles)).describe('Roles of the person in that account'),
    poly_user_id: z.string(),
    accounts: z
      .array(
        z.object({ account_id: accountNumber, name: z.string(), roles: z.array(z.enum(roles)) }),
      )
      .describe('Accounts that the session can switch to'),
    adopted_poly_user_id: z
      .string()
      .optional()
      .describe('Email-only person that was merged into poly_user_id'),
  })
  .meta({ id: 'SessionAnswer' });

export const tokenRequest = z
  .discriminatedUnion('grant_type', [
    z.object({
      grant_type: z.literal('jwt_exchange').describe('Exchanges a bundle'),
      jwt: token.meta({
        description:
          'A verification bundle of a person with a membership: ' +
          '/docs/reference/verification-bundle',
      }),
    }),
    z.object({
      grant_type: z
        .literal('sso_exchange')
        .describe('Exchanges an access token of a sign-in provider'),
      provider: z
        .string()
        .min(1)
        .max(64)
        .describe('Name of the provider; `native` for that of the platform'),
      access_token: token.describe(
        'Access token that the provider issued to one of our clients: a JWT or an opaque token',
      ),
    }),
  ])
  .meta({
    id: 'TokenRequest',
    example: {
      grant_type: 'jwt_exchange',
      jwt: 'eyJhbGciOiJFUzI1NiJ9.eyJqdGkiOiIxIn0.c2lnbmF0dXJl',
    },
  });

export const tokenAnswer = z
  .object({ session_token: z.string(), expires_at: timestamp })
  .meta({ id: 'TokenAnswer' });
