import type { Contract } from '../contract.ts';

/** The kind of object that a path parameter identifies, from outer to inner. */
const kindOfParameter: Readonly<Record<string, string>> = {
  account_id: 'account',
  affidavit_id: 'affidavit',
  app_id: 'app',
  code: 'page',
  conf_a_account_id: 'connection',
  delivery_id: 'delivery',
  device_id: 'device',
  encoded_storage_url: 'report',
  endpoint_id: 'webhook endpoint',
  event_id: 'event',
  external_id: 'connection',
  file: 'file',
  id: 'trust check',
  identity_id: 'login email',
  key: 'file',
  key_id: 'API key',
  link_uuid: 'link',
  meeting_id: 'meeting',
  name: 'file',
  object_path: 'photo',
  page: 'page',
  path: 'file',
  poly_user_id: 'person',
  provider: 'sign-in provider',
  recovery_id: 'recovery',
  request: 'OCSP request',
  sid: 'session',
  trust_check_session_id: 'affidavit',
};

/** The kinds of objects that operations look up without a path parameter. */
const kindOfOperation: Readonly<Record<string, string>> = {
  'apps.prescreenSummary': 'account',
  'calendar.routingAddresses': 'account',
  'calendar.start': 'account',
  'devices.enroll': 'app',
  'email.requestLink': 'app',
  'email.requestLogin': 'app',
  'events.list': 'account',
  'links.createByType': 'app',
  'links.listConfB': 'account',
  'links.listMeetings': 'account',
  'links.listMeetingsOfPlatform': 'account',
  'logs.continuity': 'account',
  'logs.makeReport': 'meeting',
  'logs.meeting': 'meeting',
  'meetings.connect': 'account',
  'meetings.redirect': 'consent',
  'sandbox.advance': 'trust check',
  'sandbox.event': 'object',
  'session.exchangeInvite': 'token',
  'session.join': 'link',
  'session.joined': 'join session',
  'system.outbox': 'page',
  'system.outboxPage': 'page',
  'trust-checks.begin': 'link',
  'trust-checks.upload': 'trust check',
  'trust-checks.list': 'account',
};

const either = new Intl.ListFormat('en', { type: 'disjunction' });

/**
 * Returns the `detail` of every `not_found` of an operation: the kinds of objects that it looks up.
 * It depends only on the contract, so that a foreign object and an unknown one get the same
 * response (docs/decisions/005-requests.md). Null for an operation that looks up nothing.
 */
export function missingDetail({ id, path }: Pick<Contract, 'id' | 'path'>): string | null {
  const parameters = [...path.matchAll(/\{(\w+)/g)].map(([, name = '']) => name);
  const named = parameters.flatMap((name) => kindOfParameter[name] ?? []);
  // An app in the path only narrows the object that follows, unless it is the last one.
  const kinds = named.filter((kind, at) => kind !== 'app' || at === named.length - 1);
  const operation = kindOfOperation[id];
  const all = operation === undefined ? kinds : [operation];
  if (all.length === 0) return null;
  return `No such ${either.format(all)}, or this caller may not see it.`;
}
