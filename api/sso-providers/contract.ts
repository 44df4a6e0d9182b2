import { z } from 'zod';
import { readAddress } from '../../domain/identity/email-address.ts';
import { accessTokenTypes, hasRole, roles, ssoKinds } from '../../domain/names.ts';
import { accountPath } from '../accounts/schemas.ts';
import { contract, json } from '../http/contract.ts';
import { safeUrl } from '../http/fields/fields.ts';
import { pageBody, pageQuery } from '../http/fields/paging.ts';

const provider = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{1,62}$/, 'must be the name of a provider')
  .describe('The name that is given at sign-in; unique over the platform');
const plain = (max: number) =>
  z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must have no blanks')
    .max(max);
const groupsMax = 200;
const clientsMax = 20;
const domainsMax = 20;
/** A domain that can follow an at sign, in A-labels, as `readAddress` returns it. */
const emailDomain = z
  .string()
  .trim()
  .max(253)
  .toLowerCase()
  .refine((domain) => readAddress(`x@${domain}`)?.comparable === `x@${domain}`, 'must be a domain');
const each = <S extends z.ZodType>(schema: S, max: number) =>
  z
    .array(schema)
    .max(max)
    .transform((given) => [...new Set(given)]);
const timestamp = z.iso.datetime();

const putSsoProviderRequest = z
  .object({
    kind: z
      .enum(ssoKinds)
      .describe(
        'How its tokens are judged. `jwt`: by the issuer’s keys; `introspection`: by asking it ' +
          '(RFC 7662), with the secret; `userinfo`: the one or the other, with what it says of ' +
          'the subject',
      ),
    enabled: z.boolean().default(true).describe('Whether anybody signs in by it'),
    issuer: safeUrl.describe('Its issuer identifier, as its tokens and its metadata name it'),
    client_id: plain(255).describe('As what we are known there'),
    client_secret: plain(1024)
      .optional()
      .describe('Kept sealed and never shown; left out, the one before is kept for this issuer'),
    audience: plain(255)
      .nullable()
      .default(null)
      .describe('What tokens must be for; else client_id'),
    client_ids: each(plain(255), clientsMax)
      .default([])
      .describe('The clients whose tokens are taken; else client_id alone'),
    token_type: z
      .enum(accessTokenTypes)
      .default('at+jwt')
      .describe(
        'How a JWT must be typed: `at+jwt` (RFC 9068), or `JWT` where the issuer types none; ' +
          'then an audience of our own tells access tokens from ID tokens',
      ),
    email_domains: each(emailDomain, domainsMax)
      .default([])
      .describe(
        'Domains of which verified addresses are taken for login emails; POLYADMIN only, since ' +
          'whoever has such an address is then who signs in',
      ),
    group_claim: plain(200)
      .default('groups')
      .describe('The claim that lists a person’s groups; one in another by dots'),
    group_roles: z
      .record(z.string().min(1).max(200), z.enum(roles))
      .refine(
        (map) => Object.keys(map).length <= groupsMax,
        `must have at most ${groupsMax} groups`,
      )
      .describe('Which group holds which role'),
    role_ceiling: z
      .enum(roles)
      .default('MEMBER')
      .describe('The highest role a sign-in may hold; nobody sets more than they hold'),
  })
  .refine(
    ({ group_roles, role_ceiling }) =>
      Object.values(group_roles).every((role) => hasRole([role_ceiling], role)),
    { message: 'must have no role above the ceiling', path: ['group_roles'] },
  )
  .refine(
    ({ token_type, audience, client_id, client_ids }) =>
      token_type === 'at+jwt' || ![null, client_id, ...client_ids].includes(audience),
    { message: 'tokens of type JWT take an audience that is no client', path: ['audience'] },
  )
  .meta({
    id: 'PutSsoProviderRequest',
    example: {
      kind: 'jwt',
      issuer: 'https://login.example.com',
      client_id: 'trustcheck',
      group_roles: { 'trust-admins': 'ADMIN', support: 'VIEWER' },
      role_ceiling: 'ADMIN',
    },
  });

const ssoProviderBody = z
  .object({
    provider: z.string(),
    account_id: z.int(),
    kind: z.enum(ssoKinds),
    enabled: z.boolean(),
    issuer: z.string(),
    client_id: z.string(),
    has_client_secret: z.boolean(),
    audience: z.string().nullable(),
    client_ids: z.array(z.string()),
    token_type: z.enum(accessTokenTypes),
    email_domains: z.array(z.string()),
    group_claim: z.string(),
    group_roles: z.record(z.string(), z.enum(roles)),
    role_ceiling: z.enum(roles),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'SsoProvider' });

const admin = { auth: ['key'], keyMode: 'live', role: 'ADMIN' } as const;
const refusals = ['credential_invalid', 'not_found', 'role_required'] as const;
const at = '/v2/accounts/{account_id}/sso-providers';
const path = accountPath.extend({ provider });

export const ssoProviderContracts = {
  list: contract({
    ...admin,
    id: 'sso-providers.list',
    method: 'get',
    path: at,
    summary: 'Sign-in providers by their names',
    request: { path: accountPath, query: z.object(pageQuery) },
    replies: { 200: json(pageBody(ssoProviderBody), 'A page of providers') },
    errors: refusals,
  }),
  put: contract({
    ...admin,
    id: 'sso-providers.put',
    assurance: 'cert',
    method: 'put',
    path: `${at}/{provider}`,
    summary: 'Add a sign-in provider, or write one over',
    description: [
      'A sign-in by it acts in this account alone, with the roles of the person’s groups and none',
      'above `role_ceiling`. A secret that is left out is kept as long as `issuer`, `client_id`',
      'and `kind` stay, and forgotten else: it is shown to nobody it was not given for. `native`',
      'is the name of the platform’s own provider, which a POLYADMIN sets.',
    ].join(' '),
    request: { path, body: putSsoProviderRequest },
    replies: {
      200: json(ssoProviderBody, 'The provider as it is now'),
      201: json(ssoProviderBody, 'The provider that was added'),
    },
    errors: [...refusals, 'forbidden_target', 'provider_taken'],
    idempotent: true,
  }),
  remove: contract({
    ...admin,
    id: 'sso-providers.remove',
    assurance: 'cert',
    method: 'delete',
    path: `${at}/{provider}`,
    summary: 'Remove a sign-in provider; its name is free again',
    request: { path },
    replies: {
      200: json(z.object({ provider: z.string(), deleted: z.literal(true) }), 'It is gone'),
    },
    errors: refusals,
  }),
} as const;
