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
  jwt: token.optional().meta({ description: 'Another name of raw_jwt' }),
  account_id: accountNumber
    .optional()
    .describe('The account to act in; the one joined first when nothing names one'),
  app_id: z.string().min(1).max(63).optional().describe('An app of the account to act in'),
  link_uuid: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional()
    .describe('A link of the account to act in'),
  session_token: token.optional().meta({ description: 'For step-up, when not in Authorization' }),
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
  .object({ account_id: accountNumber.describe('An account the person belongs to') })
  .meta({ id: 'SwitchAccountRequest', example: { account_id: 1 } });

const inviteJwtBytesMax = 8 * 1024;

export const createInviteRequest = z
  .object({
    raw_jwt: z
      .string()
      .max(inviteJwtBytesMax)
      .regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/, 'must be a compact JWT')
      .meta({ description: 'Any JWT in compact form; it is kept encrypted for five minutes' }),
  })
  .meta({ id: 'CreateInviteRequest', example: { raw_jwt: example.raw_jwt } });

export const createInviteAnswer = z
  .object({
    token: z.string().meta({ description: 'Good for one exchange' }),
    expires_at: timestamp,
  })
  .meta({ id: 'CreateInviteAnswer' });

export const exchangeInviteRequest = z
  .object({ token: z.string().min(1).max(256).describe('What the creation answered') })
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
    auth_method: z.enum(['email', 'cert']).describe('How the person showed who they are'),
    account_id: accountNumber.nullable().describe('The account it acts in; null for none'),
    roles: z.array(z.enum(roles)).describe('Of the person in that account'),
    poly_user_id: z.string(),
    accounts: z
      .array(
        z.object({ account_id: accountNumber, name: z.string(), roles: z.array(z.enum(roles)) }),
      )
      .describe('Every account the session can go on in: all of the person, or the one it is for'),
    adopted_poly_user_id: z
      .string()
      .optional()
      .describe('The email-only person whose things are now those of poly_user_id'),
  })
  .meta({ id: 'SessionAnswer' });

export const tokenRequest = z
  .discriminatedUnion('grant_type', [
    z.object({
      grant_type: z.literal('jwt_exchange').describe('A bundle is exchanged'),
      jwt: token.meta({
        description:
          'A verification bundle of a person with a membership: /docs/reference/verification-bundle',
      }),
    }),
    z.object({
      grant_type: z
        .literal('sso_exchange')
        .describe('An access token of a sign-in provider is exchanged'),
      provider: z
        .string()
        .min(1)
        .max(64)
        .describe('The name of the provider; `native` for the platform’s own'),
      access_token: token.describe('The token it gave one of our clients: a JWT or an opaque one'),
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
