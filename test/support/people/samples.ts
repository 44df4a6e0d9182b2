import { randomUUID } from 'node:crypto';
import { hashApiKey } from '../../../api/http/auth/credentials/api-key.ts';
import { newApiKey } from '../../../cli/data-directory/seed.ts';
import { randomIds } from '../../../db/ids.ts';
import * as seeding from '../../../db/queries/seeding.ts';
import type { Role } from '../../../domain/names.ts';
import { enroll, newPhone } from '../checks/phone.ts';
import { beginSession, call, collecting, newLink, type Session } from '../http/client.ts';
import { openTestDb } from '../platform/harness.ts';
import { ownPlatform } from '../platform/own-platform.ts';
import { newMeetingLink, started } from './meetings.ts';
import { sidOf } from './sid-of.ts';

/** A call that its operation accepts from an authorized caller, on an object of its own. */
export interface Sample {
  readonly path: string;
  readonly token: string;
  readonly body?: unknown;
  readonly raw?: Uint8Array;
}

const { own } = ownPlatform();
const app = own.app_id;
const account = `/v2/accounts/${own.account_id}`;
const endpoints = `${account}/webhook-endpoints`;

/** Creates an API key with exactly these roles: live and of our account by default. */
export async function newKey(
  roles: readonly Role[],
  { accountId = own.account_id, livemode = true } = {},
): Promise<string> {
  const { databaseUrl } = ownPlatform();
  const { id, key } = newApiKey(livemode ? 'live' : 'test');
  const db = openTestDb(databaseUrl);
  const values = [id, accountId, 'an API key', hashApiKey(key), roles, livemode, new Date()];
  try {
    await seeding.addApiKey(db, values);
  } finally {
    await db.end();
  }
  return key;
}

/** A call with a test key, on an object in test mode. */
async function byTestKey(path: string, body: unknown): Promise<Sample> {
  return { path, token: await newKey(['MEMBER'], { livemode: false }), body };
}

/** Creates a link in test mode. The app of our account is live. */
async function newTestLink(): Promise<string> {
  const link = await newLink();
  const db = openTestDb(ownPlatform().databaseUrl);
  try {
    await db.query('UPDATE links SET livemode = false WHERE link_uuid = $1', [link]);
  } finally {
    await db.end();
  }
  return link;
}

/** Connects a new account of conference platform A to this account. */
export async function newPlatformAccount(accountId = own.account_id): Promise<string> {
  const db = openTestDb(ownPlatform().databaseUrl);
  const id = randomIds.make('ca');
  try {
    await db.query(
      `INSERT INTO platform_accounts (platform, external_id, account_id, created_at)
       VALUES ('conf-a', $1, $2, now())`,
      [id, accountId],
    );
  } finally {
    await db.end();
  }
  return id;
}

export async function newEndpoint(): Promise<string> {
  const { body } = await call('POST', endpoints, {
    token: own.api_key,
    body: { url: 'http://127.0.0.1:9/', types: ['meeting.ended'] },
  });
  return `${endpoints}/${String(body['endpoint_id'])}`;
}

const newMeeting = async (): Promise<string> =>
  (await started(await newMeetingLink(), { role: 'participant' })).meeting_id;

async function newEvent(): Promise<string> {
  await newLink();
  const { body } = await call('GET', '/v2/events?limit=1', { token: own.api_key });
  const [event] = body['items'] as { event_id: string }[];
  return `/v2/events/${event?.event_id ?? ''}`;
}

async function ofSession(
  begin: (link: string) => Promise<Session>,
  name: string,
  rest: Omit<Sample, 'path' | 'token'> = {},
): Promise<Sample> {
  const { id, token } = await begin(await newLink());
  return { path: `/v2/trust-checks/${id}${name}`, token, ...rest };
}

const byKey = (path: string, body?: unknown): Sample => ({ path, token: own.api_key, body });

/** An operation of the account on a session, which the check token does not authorize. */
async function ofAdmin(name: string, body?: unknown): Promise<Sample> {
  const { path } = await ofSession(beginSession, name);
  return { path, token: own.api_key, body };
}

const byMember = (path: string): Sample => ({ path, token: own.member.session_token });
/** A call with a session: no API key opens or decides a recovery. */
const bySession = (path: string, body?: unknown): Sample => ({
  path,
  token: own.admin.session_token,
  body,
});
const recoveries = `${account}/members/${own.member.poly_user_id}/recoveries`;
const recovery = `rec_${'0'.repeat(26)}`;

/** One sample for every operation that requires authentication. */
export const samples: Readonly<Record<string, () => Promise<Sample>>> = {
  // An endpoint for all events would receive the events of all later tests.
  'webhook-endpoints.create': async () =>
    byKey(endpoints, { url: 'http://127.0.0.1:9/', types: ['meeting.ended'] }),
  'webhook-endpoints.list': async () => byKey(endpoints),
  'webhook-endpoints.get': async () => byKey(await newEndpoint()),
  'webhook-endpoints.update': async () => byKey(await newEndpoint(), { description: 'changed' }),
  'webhook-endpoints.remove': async () => byKey(await newEndpoint()),
  'webhook-endpoints.rotateSecret': async () => byKey(`${await newEndpoint()}/rotate-secret`, {}),
  'webhook-endpoints.test': async () =>
    byKey(`${await newEndpoint()}/test`, { type: 'link.created' }),
  'deliveries.list': async () => byKey(`${await newEndpoint()}/deliveries`),
  'deliveries.replay': async () => byKey(`${await newEndpoint()}/deliveries/wd_none/replay`, {}),
  'accounts.list': async () => ({ path: '/v2/accounts', token: own.member.session_token }),
  'accounts.invitations': async () => byMember('/v2/invitations'),
  'accounts.accept': async () => byMember(`${account}/accept`),
  'accounts.decline': async () => byMember(`${account}/decline`),
  'recoveries.list': async () => bySession(recoveries),
  'recoveries.open': async () => bySession(recoveries, { app_id: app }),
  'recoveries.approve': async () => bySession(`${recoveries}/${recovery}/approve`),
  'recoveries.deny': async () => bySession(`${recoveries}/${recovery}/deny`),
  'recoveries.cancel': async () => bySession(`${recoveries}/${recovery}/cancel`),
  'accounts.leave': async () => byMember(`${account}/membership`),
  'accounts.get': async () => byKey(account),
  'accounts.update': async () => byKey(account, { name: 'changed' }),
  'members.list': async () => byKey(`${account}/members`),
  'members.invite': async () =>
    byKey(`${account}/members`, { poly_user_id: own.subject.poly_user_id, roles: ['VIEWER'] }),
  'members.update': async () =>
    byKey(`${account}/members/${own.member.poly_user_id}`, { roles: ['VIEWER'] }),
  'members.remove': async () => byKey(`${account}/members/${own.member.poly_user_id}`),
  'api-keys.list': async () => byKey(`${account}/api-keys`),
  'api-keys.create': async () => byKey(`${account}/api-keys`, { name: 'a key', roles: ['VIEWER'] }),
  'api-keys.revoke': async () => byKey(`${account}/api-keys/${own.api_key.slice(0, 20)}`),
  'api-keys.rotate': async () =>
    byKey(`${account}/api-keys/${own.api_key.slice(0, 20)}/rotate`, {}),
  'apps.list': async () => byKey('/applications'),
  'apps.status': async () => byKey(`/v2/app/${app}/status`),
  'apps.users': async () => byKey(`/v2/app/${app}/users`),
  'apps.prescreenAccount': async () => byKey('/v2/analytics/prescreen/account'),
  'apps.prescreenSummary': async () =>
    byKey(`/v2/analytics/prescreen/summary?account_id=${own.account_id}`),
  'apps.create': async () => byKey(`${account}/apps/a-new-app`, { name: 'An app', kind: 'sdk' }),
  'apps.get': async () => byKey(`${account}/apps/${app}`),
  'apps.preview': async () => byKey(`${account}/apps/${app}/preview`),
  'apps.update': async () => byKey(`${account}/apps/${app}`, { tos_version: '1' }),
  'apps.archive': async () => byKey(`${account}/apps/${app}`),
  'sso-providers.list': async () => byKey(`${account}/sso-providers`),
  'sso-providers.put': async () =>
    byKey(`${account}/sso-providers/a-provider`, {
      kind: 'jwt',
      issuer: 'https://login.example.test',
      client_id: 'trustcheck',
      group_roles: {},
    }),
  'sso-providers.remove': async () => byKey(`${account}/sso-providers/a-provider`),
  'rate-limits.get': async () => byKey('/v2/rate-limits'),
  'audit.list': async () => byKey(`${account}/audit`),
  'events.list': async () => byKey('/v2/events'),
  'events.get': async () => byKey(await newEvent()),
  'links.create': async () => byKey(`/v2/link/${app}`, {}),
  'links.createShort': async () => byKey(`/v2/${app}`, {}),
  'links.createInvite': async () => byKey(`/v2/link/invite/${app}`, {}),
  'links.createImport': async () => byKey(`/v2/link/import/${app}`, {}),
  'links.createByType': async () => byKey(`/v2/link/type/trust_check?app_id=${app}`, {}),
  // The number of links per address and day is limited.
  'links.send': async () =>
    byKey(`/v2/link/send/${app}`, { send_to_email: `${randomUUID()}@example.test` }),
  'links.remove': async () => byKey(`/v2/link/${app}/${await newLink()}`),
  'links.removeByApp': async () => byKey(`/v2/${app}/${await newLink()}`),
  'links.removeById': async () => byKey(`/v2/${await newLink()}`),
  'links.update': async () => byKey(`/v2/link/${app}/${await newLink()}`, { title: 'changed' }),
  'links.updateByApp': async () => byKey(`/v2/${app}/${await newLink()}`, { title: 'changed' }),
  'links.updateById': async () => byKey(`/v2/${await newLink()}`, { title: 'changed' }),
  'links.raw': async () => byKey(`/v2/raw/${await newLink()}`),
  'links.list': async () => byKey(`/v2/links/${own.account_id}/${app}`),
  'links.listMeetings': async () => byKey('/v2/listlinks'),
  'links.listMeetingsOfPlatform': async () => byKey(`/v2/listlinks/${await newPlatformAccount()}`),
  'links.listConfB': async () => byKey('/v2/list-conf-b-links'),
  'links.listInvites': async () => byKey(`/v2/invite-links/${own.account_id}`),
  'sandbox.advance': async () => {
    const { id } = await beginSession(await newTestLink());
    return byTestKey('/v2/sandbox/advance', { link_session_id: id, seconds: 60 });
  },
  'sandbox.event': async () =>
    byTestKey('/v2/sandbox/events', { type: 'link.created', object_id: await newTestLink() }),
  'logs.me': async () => ({ path: '/v2/logs/me', token: own.member.session_token }),
  'logs.account': async () => byKey(`/v2/logs/account/${own.account_id}`),
  'logs.user': async () =>
    byKey(`/v2/logs/user/${own.subject.poly_user_id}/account/${own.account_id}`),
  'logs.continuity': async () =>
    byKey('/v2/logs/continuity', {
      account_id: own.account_id,
      poly_user_ids: [own.subject.poly_user_id],
    }),
  'meetings.start': async () => byKey(`/v2/start/${await newMeetingLink()}`, {}),
  'meetings.startConfA': async () => byKey(`/v2/conf-a/start/${await newMeetingLink()}`, {}),
  'meetings.startConfB': async () => byKey(`/v2/conf-b/start/${await newMeetingLink()}`, {}),
  'calendar.start': async () =>
    byKey(`/cal/oauth/start?intent=routing&account_id=${own.account_id}`),
  'calendar.routingAddresses': async () =>
    byKey(`/cal/routing-addresses?account_id=${own.account_id}`),
  'calendar.callback': async () => ({ path: '/cal/oauth/callback?state=x&code=x', token: '' }),
  'meetings.connect': async () => byKey('/v2/conf-b/consent', {}),
  'meetings.redirect': async () => byKey('/v2/conf-b/redirect', {}),
  'meetings.disconnect': async () => byKey('/v2/conf-b/consent/unknown'),
  'meetings.get': async () => byKey(`/v2/meeting/sandbox/${await newMeeting()}`),
  'meetings.play': async () =>
    byKey(`/v2/sandbox/meetings/${await newMeeting()}/events`, { kind: 'joined' }),
  'logs.meeting': async () =>
    byKey('/v2/logs/meeting/details', { platform: 'sandbox', meeting_id: await newMeeting() }),
  'logs.makeReport': async () =>
    byKey('/v2/reports/meeting', { platform: 'sandbox', meeting_id: await newMeeting() }),
  'logs.affidavit': async () => byKey(`/v2/affidavits/${app}/tc_none/download`),
  'trust-checks.list': async () => byKey('/v2/trust-checks'),
  'trust-checks.get': () => ofSession(beginSession, ''),
  'trust-checks.open': () => ofSession(beginSession, '/open', { body: {} }),
  'trust-checks.pair': () => ofSession(beginSession, '/pair', { body: {} }),
  'trust-checks.pairToken': () => ofSession(beginSession, '/pair-token', { body: {} }),
  'trust-checks.handOver': () =>
    ofSession(beginSession, '/hand-over', { body: { phone_number: '+4915112345678' } }),
  'trust-checks.consent': () =>
    ofSession(beginSession, '/consent', { body: { accepted: true, tos_version: '1' } }),
  'trust-checks.sendCode': () =>
    ofSession(collecting, '/phone/code', { body: { phone_number: '+4915112345678' } }),
  'trust-checks.upload': () =>
    ofSession(collecting, '/evidence/sod', { raw: new Uint8Array([0x30, 0]) }),
  'proofs.challenge': () =>
    ofSession(collecting, '/challenges', { body: { proof: 'nfc_passport' } }),
  'trust-checks.submitProof': () =>
    ofSession(collecting, '/proofs/phone', { body: { code: '000000' } }),
  'trust-checks.retry': () => ofAdmin('/retry', {}),
  'trust-checks.cancel': () => ofSession(beginSession, '/cancel', { body: {} }),
  'trust-checks.review': () => ofAdmin('/review', { decision: 'approve', note: 'fine' }),
  'trust-checks.events': () => ofSession(beginSession, '/events'),
  'trust-checks.evidence': () => ofAdmin('/evidence'),
  'trust-checks.revoke': () => ofAdmin('/revoke', {}),
  'trust-checks.redact': () => ofAdmin('/redact', {}),
  'session.switchAccount': async () => ({
    path: '/v2/session/switch_account',
    token: own.member.session_token,
    body: { account_id: own.account_id },
  }),
  'session.list': async () => ({ path: '/v2/sessions', token: own.member.session_token }),
  'session.signOut': async () => ({
    path: '/v2/session/sign_out',
    token: own.member.session_token,
    body: {},
  }),
  'session.end': async () => byMember(`/v2/sessions/${sidOf(own.member.session_token)}`),
  'email.requestLink': async () => ({
    path: '/v2/email/link/request',
    token: own.member.session_token,
    body: { email: 'sample@example.test' },
  }),
  'email.verifyLink': async () => ({
    path: '/v2/email/link/verify',
    token: own.member.session_token,
    body: { token: 'unknown' },
  }),
  'email.list': async () => ({ path: '/v2/email/link', token: own.member.session_token }),
  'email.revoke': async () => byMember('/v2/email/link/1'),
  'devices.list': async () => ({ path: '/v2/devices', token: own.member.session_token }),
  'devices.revoke': async () => {
    const token = own.member.session_token;
    const device = await newPhone('android');
    await enroll(device, {}, { token });
    return { path: `/v2/devices/${device.enrolled?.deviceId ?? ''}`, token };
  },
};
