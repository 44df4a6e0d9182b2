import type { Scope } from '../../../domain/scopes.ts';
import { isWalled, keyModes } from './modes.ts';
import type { Principal } from './principals.ts';
import { unknown, type Outcome, type Where } from './rules.ts';

/** The limits of an API key. */
export interface KeyLimits {
  /** Scopes: all that read, all that write, or both of the family `links`. */
  readonly scopes?: 'read' | 'write' | 'links';
  /** Apps: those with the objects of the account, or another app without objects. */
  readonly apps?: 'own' | 'other';
}

/** Returns the existing scopes of each kind of key. */
export const scopesOf = (kind: KeyLimits['scopes'], all: readonly Scope[]): Scope[] =>
  all.filter((scope) =>
    kind === 'links' ? scope.startsWith('links:') : scope.endsWith(`:${kind}`),
  );

const account = '/v2/accounts/{account_id}';
const endpoints = `${account}/webhook-endpoints`;

/** Routes that read with a method other than GET, and the route that writes with GET. */
const readers = [
  'POST /v2/logs/continuity',
  'POST /v2/logs/meeting/details',
  'POST /v2/reports/meeting',
];
const writers = ['GET /cal/oauth/start'];

const links: readonly string[] = [
  'PUT /v2/link/type/{link_type}',
  'PUT /v2/link/invite/{app_id}',
  'PUT /v2/link/import/{app_id}',
  'PUT /v2/link/{app_id}',
  'PUT /v2/{app_id}',
  'POST /v2/link/send/{app_id}',
  'DELETE /v2/link/{app_id}/{link_uuid}',
  'DELETE /v2/{app_id}/{link_uuid}',
  'DELETE /v2/{link_uuid}',
  'PATCH /v2/link/{app_id}/{link_uuid}',
  'PATCH /v2/{app_id}/{link_uuid}',
  'PATCH /v2/{link_uuid}',
  'POST /v2/ticket/{app_id}',
  'POST /v2/ticket/{app_id}/{link_uuid}',
  'GET /v2/raw/{link_uuid}',
  'GET /v2/links/{account_id}/{app_id}',
  'GET /v2/listlinks',
  'GET /v2/listlinks/{conf_a_account_id}',
  'GET /v2/list-conf-b-links',
  'GET /v2/invite-links/{account_id}',
];

/** Operations on objects that belong to no app, besides those that need a live key. */
const appless: readonly string[] = [
  'GET /v2/logs/me',
  'GET /v2/logs/user/{poly_user_id}/account/{account_id}',
  'POST /v2/logs/continuity',
  'POST /v2/logs/meeting/details',
  'POST /v2/reports/meeting',
  'GET /v2/reports/meeting/{encoded_storage_url}',
  'POST /v2/start/{link_uuid}',
  'POST /v2/conf-a/start/{link_uuid}',
  'POST /v2/conf-b/start/{link_uuid}',
  'GET /v2/meeting/{platform}/{meeting_id}',
  'POST /v2/sandbox/meetings/{meeting_id}/events',
  'POST /v2/sandbox/events',
  `PUT ${account}/apps/{app_id}`,
  'GET /v2/analytics/prescreen/account',
  'GET /v2/analytics/prescreen/summary',
];

function holdsScope(kind: KeyLimits['scopes'], route: string): boolean {
  if (kind === undefined) return true;
  if (kind === 'links') return links.includes(route);
  const isGet = route.startsWith('GET ');
  const isRead = readers.includes(route) || (isGet && !writers.includes(route));
  return (kind === 'read') === isRead;
}

/** Returns the outcome that follows from the limits of the key, otherwise the usual one. */
export function limitOf(
  route: string,
  principal: Principal,
  where: Where,
  usual: Outcome,
): Outcome {
  const { is, scopes, apps } = principal;
  const mode = keyModes[route];
  if (is !== 'key' || mode === undefined || mode === 'test') return usual;
  if (!holdsScope(scopes, route)) return [403, 'insufficient_scope'];
  const isMaking = route.startsWith(`POST ${account}/api-keys`);
  // A key with scopes cannot create one without, and the matrix requests such a key.
  if (scopes && isMaking && usual[0] === 201) return [403, 'insufficient_scope'];
  if (!apps) return usual;
  if (mode === 'live' || appless.includes(route)) return [403, 'app_key_refused'];
  // The endpoint of the matrix covers all apps, and the request would create another such.
  if (route === `POST ${endpoints}`) return where === 'own' ? [422, 'missing'] : usual;
  if (route.includes(`${endpoints}/`)) return unknown;
  // The key has two apps.
  const isUnnamed = apps === 'own' && route === 'GET /v2/logs/account/{account_id}';
  if (isUnnamed && where === 'own') return [422, 'missing'];
  const isReached = apps === 'own' && (where === 'own' || where === 'made');
  return isWalled(route) && !isReached ? unknown : usual;
}
