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
  .describe('Name to sign in with; unique on the platform');
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
        'How tokens are verified. `jwt`: by keys of the issuer. `introspection`: by a ' +
          'request to the issuer (RFC 7662), with the secret. `userinfo`: by either one, plus ' +
          'its data about the subject',
      ),
    enabled: z.boolean().default(true).describe('Whether people can sign in with it'),
    issuer: safeUrl.describe('Issuer identifier, as in its tokens and metadata'),
    client_id: plain(255).describe('Client ID of this service at the issuer'),
    client_secret: plain(1024)
      .optional()
      .describe(
        'Client secret; stored encrypted, never returned. Omit it to keep the current one ' +
          'for this issuer',
      ),
    audience: plain(255)
      .nullable()
      .default(null)
      .describe('Required audience of tokens; client_id by default'),
    client_ids: each(plain(255), clientsMax)
      .default([])
      .describe('Clients of accepted tokens; only client_id by default'),
    token_type: z
      .enum(accessTokenTypes)
      .default('at+jwt')
      .describe(
        'Required type of a JWT: `at+jwt` (RFC 9068), or `JWT` if the issuer sets none. With ' +
          '`JWT`, `audience` must differ from every client, to tell access tokens from ID ' +
          'tokens',
      ),
    email_domains: each(emailDomain, domainsMax)
      .default([])
      .describe(
        'Domains with verified addresses that become login emails; POLYADMIN only, because ' +
          'anyone with such an address can then sign in as its owner',
      ),
    group_claim: plain(200)
      .default('groups')
      .describe('Claim with the groups of a person; dots separate nested names'),
    group_roles: z
      .record(z.string().min(1).max(200), z.enum(roles))
      .refine(
        (map) => Object.keys(map).length <= groupsMax,
        `must have at most ${groupsMax} groups`,
      )
      .describe('Role for each group'),
    role_ceiling: z
      .enum(roles)
      .default('MEMBER')
      .describe('Highest role of a sign-in; at most your own'),
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
    summary: 'List the sign-in providers by name',
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
    summary: 'Create or replace a sign-in provider',
    description:
      'Its sign-ins act only in this account, with the roles of the person’s groups up to ' +
      '`role_ceiling`. If you omit the secret, the current one is kept as long as ' +
      '`issuer`, `client_id` and `kind` stay the same, and deleted otherwise. `native` is ' +
      'the provider of the platform itself, which a POLYADMIN sets.',
    request: { path, body: putSsoProviderRequest },
    replies: {
      200: json(ssoProviderBody, 'The replaced provider'),
      201: json(ssoProviderBody, 'The new provider'),
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
    summary: 'Remove a sign-in provider and free its name',
    request: { path },
    replies: {
      200: json(z.object({ provider: z.string(), deleted: z.literal(true) }), 'Provider removed'),
    },
    errors: refusals,
  }),
} as const;
