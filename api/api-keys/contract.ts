import { z } from 'zod';
import { roles } from '../../domain/names.ts';
import { scopes } from '../../domain/scopes.ts';
import { accountPath, label, roleList } from '../accounts/schemas.ts';
import { contract, json } from '../http/contract.ts';
import { instant } from '../http/fields/fields.ts';
import { appId } from '../http/fields/ids.ts';
import { pageBody, pageQuery } from '../http/fields/paging.ts';

const timestamp = z.iso.datetime();
/** The roles of a key. POLYADMIN is for people only. */
export const keyRoles = ['VIEWER', 'MEMBER', 'REVIEWER', 'ADMIN'] as const;

/** The maximum of apps of an account. */
const appIdsMax = 100;

const createApiKeyRequest = z
  .object({
    name: label(120).describe('Name of the key in reviews and in the audit log'),
    roles: roleList(keyRoles).describe('Roles of the key; at most those of the caller'),
    livemode: z
      .boolean()
      .default(true)
      .describe('True for a `tk_live_…` key, false for `tk_test_…`'),
    scopes: z
      .array(z.enum(scopes))
      .min(1)
      .max(scopes.length)
      .transform((given) => scopes.filter((scope) => given.includes(scope)))
      .optional()
      .describe('The operations the key may call; by default all that its roles allow'),
    app_ids: z
      .array(appId)
      .min(1)
      .max(appIdsMax)
      .transform((given) => [...new Set(given)].sort())
      .optional()
      .describe('The apps whose objects the key may reach; by default all of the account'),
    expires_at: instant.optional().describe('When the key expires; by default never'),
  })
  .meta({
    id: 'CreateApiKeyRequest',
    example: { name: 'Our own records', roles: ['VIEWER'], scopes: ['trust_checks:read'] },
  });

const apiKeyBody = z
  .object({
    key_id: z.string().describe('First part of the key, without the secret'),
    account_id: z.int(),
    name: z.string(),
    roles: z.array(z.enum(roles)),
    livemode: z.boolean(),
    scopes: z
      .array(z.enum(scopes))
      .nullable()
      .describe('Scopes; null for everything its roles allow'),
    app_ids: z.array(z.string()).nullable().describe('Apps; null for all apps of the account'),
    created_at: timestamp,
    created_by: z
      .string()
      .nullable()
      .describe('The person or API key that created it; null for an operator command'),
    sso_provider: z
      .string()
      .nullable()
      .describe('Sign-in provider of the session that created it; null if none'),
    expires_at: timestamp.nullable(),
    last_used_at: timestamp.nullable().describe('Last use, accurate to the minute'),
    revoked_at: timestamp.nullable(),
    replaced_by: z.string().nullable().describe('The key that a rotation created from this one'),
  })
  .meta({ id: 'ApiKey' });
const newApiKeyBody = apiKeyBody
  .extend({ api_key: z.string().describe('The whole key, returned only here') })
  .meta({ id: 'NewApiKey' });

const overlapSecondsMax = 7 * 24 * 3600;
const rotateApiKeyRequest = z
  .object({
    expires_in: z
      .int()
      .min(0)
      .max(overlapSecondsMax)
      .default(24 * 3600)
      .describe('Seconds until the old key expires, unless it expires earlier'),
  })
  .meta({ id: 'RotateApiKeyRequest', example: { expires_in: 3600 } });
const keyPath = accountPath.extend({
  key_id: z
    .string()
    .regex(/^tk_(live|test)_[0-9a-z]{12}$/, 'must be the id of a key')
    .describe('ID of the key'),
});

const admin = { auth: ['key'], keyMode: 'live', role: 'ADMIN' } as const;
const refusals = ['credential_invalid', 'not_found', 'role_required'] as const;
const at = '/v2/accounts/{account_id}/api-keys';

export const apiKeyContracts = {
  list: contract({
    ...admin,
    id: 'api-keys.list',
    method: 'get',
    path: at,
    summary: 'List the API keys of an account, including revoked ones, newest first',
    request: { path: accountPath, query: z.object(pageQuery) },
    replies: { 200: json(pageBody(apiKeyBody), 'A page of keys') },
    errors: refusals,
  }),
  create: contract({
    ...admin,
    id: 'api-keys.create',
    assurance: 'cert',
    method: 'post',
    path: at,
    summary: 'Create an API key; it is shown once',
    description: [
      'A key acts only in its own account. The service stores a hash of the secret. A key created',
      'in a session of a sign-in provider ends when the person is no longer an ADMIN, or when the',
      'provider is disabled or removed. So do the keys that it created. `scopes` limits a key to',
      'operations, `app_ids` to apps. For such a key, objects of other apps are 404 and absent',
      'from lists and streams. Objects without an app (meetings, members, the account) are 403',
      '`app_key_refused`. A key with `scopes` creates only keys with the same scopes or fewer.',
    ].join(' '),
    request: { path: accountPath, body: createApiKeyRequest },
    replies: { 201: json(newApiKeyBody, 'The key with its secret') },
    errors: [...refusals, 'idempotency_mismatch'],
    idempotent: true,
  }),
  revoke: contract({
    ...admin,
    id: 'api-keys.revoke',
    assurance: 'cert',
    method: 'delete',
    path: `${at}/{key_id}`,
    summary: 'Revoke an API key; a repeated request changes nothing',
    request: { path: keyPath },
    replies: { 200: json(apiKeyBody, 'ID of the key') },
    errors: refusals,
  }),
  rotate: contract({
    ...admin,
    id: 'api-keys.rotate',
    assurance: 'cert',
    method: 'post',
    path: `${at}/{key_id}/rotate`,
    summary: 'Replace an API key; the old one works until the overlap ends',
    description: [
      'Creates a key with the name, roles, mode, scopes, apps and expiry of the old one and shows',
      'it once. The old key expires after `expires_in` seconds, at once for 0. A key can be',
      'rotated only once. The caller must be allowed to create the new key.',
    ].join(' '),
    request: { path: keyPath, body: rotateApiKeyRequest.default({ expires_in: 24 * 3600 }) },
    replies: { 201: json(newApiKeyBody, 'The new key with its secret') },
    errors: [...refusals, 'key_ended', 'key_rotated', 'idempotency_mismatch'],
    idempotent: true,
  }),
} as const;
