import type { Principal } from './principals.ts';
import { unknown, type Outcome, type Where } from './rules.ts';

/**
 * What keys of the two modes may do, written by hand from the rules of test mode (decision 006):
 * - `live`: refuses test keys, since the operation concerns the whole account.
 * - `test`: admits only test keys.
 * - `object`: names an object of an app; for a test key a live object does not exist.
 * - `outcome`: like `object`, and a live key cannot change a test object.
 * - `account`: names only the account, and lists what is in reach of the key.
 */
type KeyMode = 'live' | 'test' | 'object' | 'outcome' | 'account';

const account = '/v2/accounts/{account_id}';
const endpoints = `${account}/webhook-endpoints`;

const routes: Readonly<Record<KeyMode, readonly string[]>> = {
  live: [
    `GET ${account}`,
    `PATCH ${account}`,
    `GET ${account}/members`,
    `POST ${account}/members`,
    `PATCH ${account}/members/{poly_user_id}`,
    `DELETE ${account}/members/{poly_user_id}`,
    `GET ${account}/members/{poly_user_id}/recoveries`,
    `POST ${account}/members/{poly_user_id}/recoveries`,
    `POST ${account}/members/{poly_user_id}/recoveries/{recovery_id}/approve`,
    `POST ${account}/members/{poly_user_id}/recoveries/{recovery_id}/deny`,
    `POST ${account}/members/{poly_user_id}/recoveries/{recovery_id}/cancel`,
    `GET ${account}/api-keys`,
    `POST ${account}/api-keys`,
    `DELETE ${account}/api-keys/{key_id}`,
    `POST ${account}/api-keys/{key_id}/rotate`,
    `GET ${account}/sso-providers`,
    `PUT ${account}/sso-providers/{provider}`,
    `DELETE ${account}/sso-providers/{provider}`,
    `GET ${account}/audit`,
    'GET /cal/oauth/start',
    'GET /cal/routing-addresses',
    'POST /v2/conf-b/consent',
    'POST /v2/conf-b/redirect',
    'DELETE /v2/conf-b/consent/{external_id}',
  ],
  test: ['POST /v2/sandbox/advance', 'POST /v2/sandbox/events'],
  object: [
    `GET ${account}/apps/{app_id}`,
    `GET ${account}/apps/{app_id}/preview`,
    `PATCH ${account}/apps/{app_id}`,
    `DELETE ${account}/apps/{app_id}`,
    `GET ${endpoints}/{endpoint_id}`,
    `PATCH ${endpoints}/{endpoint_id}`,
    `DELETE ${endpoints}/{endpoint_id}`,
    `POST ${endpoints}/{endpoint_id}/rotate-secret`,
    `POST ${endpoints}/{endpoint_id}/test`,
    `GET ${endpoints}/{endpoint_id}/deliveries`,
    `POST ${endpoints}/{endpoint_id}/deliveries/{delivery_id}/replay`,
    'GET /v2/app/{app_id}/status',
    'GET /v2/app/{app_id}/users',
    'GET /v2/events/{event_id}',
    'GET /v2/links/{account_id}/{app_id}',
    'GET /v2/raw/{link_uuid}',
    'PUT /v2/link/type/{link_type}',
    'PUT /v2/link/invite/{app_id}',
    'PUT /v2/link/import/{app_id}',
    'PUT /v2/link/{app_id}',
    'PUT /v2/{app_id}',
    'POST /v2/link/send/{app_id}',
    'PATCH /v2/link/{app_id}/{link_uuid}',
    'PATCH /v2/{app_id}/{link_uuid}',
    'PATCH /v2/{link_uuid}',
    'POST /v2/start/{link_uuid}',
    'POST /v2/conf-a/start/{link_uuid}',
    'POST /v2/conf-b/start/{link_uuid}',
    'POST /v2/ticket/{app_id}',
    'POST /v2/ticket/{app_id}/{link_uuid}',
    'POST /v2/trust-checks',
    'GET /v2/trust-checks/{id}',
    'GET /v2/trust-checks/{id}/events',
    'GET /v2/trust-checks/{id}/evidence',
    'GET /v2/affidavits/{app_id}/{trust_check_session_id}/download',
    'GET /v2/meeting/{platform}/{meeting_id}',
    'POST /v2/logs/meeting/details',
    'POST /v2/reports/meeting',
    'GET /v2/reports/meeting/{encoded_storage_url}',
  ],
  outcome: [
    'POST /v2/trust-checks/{id}/retry',
    'POST /v2/trust-checks/{id}/cancel',
    'POST /v2/trust-checks/{id}/review',
    'POST /v2/trust-checks/{id}/revoke',
    'POST /v2/trust-checks/{id}/redact',
    'DELETE /v2/link/{app_id}/{link_uuid}',
    'DELETE /v2/{app_id}/{link_uuid}',
    'DELETE /v2/{link_uuid}',
    'POST /v2/sandbox/meetings/{meeting_id}/events',
  ],
  account: [
    'GET /applications',
    `PUT ${account}/apps/{app_id}`,
    `GET ${endpoints}`,
    `POST ${endpoints}`,
    'GET /v2/analytics/prescreen/account',
    'GET /v2/analytics/prescreen/summary',
    'GET /v2/events',
    'GET /v2/invite-links/{account_id}',
    'GET /v2/list-conf-b-links',
    'GET /v2/listlinks',
    'GET /v2/listlinks/{conf_a_account_id}',
    'GET /v2/logs/account/{account_id}',
    'GET /v2/logs/me',
    'GET /v2/logs/user/{poly_user_id}/account/{account_id}',
    'POST /v2/logs/continuity',
    'GET /v2/rate-limits',
    'GET /v2/trust-checks',
  ],
};

/** The mode of every route that admits API keys. */
export const keyModes: Readonly<Record<string, KeyMode>> = Object.fromEntries(
  Object.entries(routes).flatMap(([mode, names]) =>
    names.map((name) => [name, mode as KeyMode] as const),
  ),
);

/** Returns whether a route names an object that is either live or in test mode. */
export const isWalled = (route: string): boolean =>
  ['test', 'object', 'outcome'].includes(keyModes[route] ?? '');

/** Returns the outcome that follows from the mode of the caller's key, otherwise the usual one. */
export function wallOf(
  route: string,
  { is, isTest }: Principal,
  where: Where,
  usual: Outcome,
): Outcome {
  const mode = keyModes[route];
  if (mode === 'test' && (is === 'session' || (is === 'key' && !isTest))) {
    return [403, 'test_key_required'];
  }
  if (is !== 'key') return usual;
  if (mode === 'live' && isTest) return [403, 'live_key_required'];
  if (isTest && isWalled(route) && where !== 'test') return unknown;
  const isChanging = mode === 'outcome' && where === 'test';
  return isChanging && !isTest ? [403, 'test_key_required'] : usual;
}
