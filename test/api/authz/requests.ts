import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { call } from '../../support/http/client.ts';
import { goodBundle, platformKeys } from '../../support/keys/bundles.ts';
import { ocspType, sealRequest } from '../../support/keys/ocsp.ts';
import { queryType, timestampQuery } from '../../support/keys/timestamps.ts';
import { newEmailSession, newSpareSession, newSpareMember } from './credentials.ts';
import type { Principal } from './principals.ts';
import type { Where } from './rules.ts';
import { newProviderRow, type Stage, type Things } from './things.ts';

/** What a request contains besides the objects in its path. */
export interface Ask {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly raw?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The context of a request. */
export interface Scene {
  readonly db: Db;
  readonly principal: Principal;
  readonly where: Where;
  /** Whether the request succeeds. Then it uses an object that no other test needs. */
  readonly isDone: boolean;
  /** The account of the objects. */
  readonly stage: Stage;
  readonly enrollment: Readonly<Record<string, unknown>>;
}

type Make = (things: Things, scene: Scene) => Ask | Promise<Ask>;

const fresh = (prefix: string): string => `${prefix}-${randomIds.bytes(5).toString('hex')}`;
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An `attest` header of the right form with a nonce that the platform did not issue. */
const staleAttest = encode({
  v: 1,
  platform: 'ios',
  device_id: 'dev_0',
  assertion: 'AAAA',
  client_data: encode({
    nonce: 'stale',
    method: 'POST',
    path: '/',
    body_sha256: '0'.repeat(64),
    iat: 1_700_000_000,
  }),
});
const attested = { headers: { attest: staleAttest } };
const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJqdGkiOiIxIn0.c2lnbmF0dXJl';

const same =
  (body: unknown): Make =>
  () => ({ body });
const created = same({ required_proofs: ['phone'] });
const started: Make = ({ startedLink: link_uuid }) => ({
  path: { link_uuid },
  body: { role: 'participant' },
});
const removed: Make = () => ({ headers: { 'if-match': '"none"' } });
const ofRunning =
  (body?: unknown): Make =>
  ({ runningCheck: id }) => ({ path: { id }, body });
const byAccount: Make = ({ account_id }) => ({ query: `account_id=${account_id}` });
const inMeeting: Make = ({ meeting_id }) => ({ body: { platform: 'sandbox', meeting_id } });
const asset: Make = () => ({ path: { name: 'email.js' } });

/**
 * Requests with more than a path, by method and path. Each is well-formed, so that only the caller
 * and the object decide the answer.
 */
export const requests: Readonly<Record<string, Make>> = {
  'GET /log/tile/{path*}': async () => {
    // A checkpoint must be signed before its tiles exist.
    await call('GET', '/log/checkpoint');
    return { path: { 'path*': '0/000.p/1' } };
  },
  'GET /pki/{file}': () => ({ path: { file: `${platformKeys().root.kid}.cer` } }),
  'POST /pki/ocsp': () => ({ raw: sealRequest(), headers: ocspType }),
  'GET /pki/ocsp/{request*}': () => ({ path: { 'request*': sealRequest().toString('base64') } }),
  'POST /tsa': () => ({ raw: timestampQuery(), headers: queryType }),
  'POST /portal_login': async (_things, { stage }) => ({
    body: { raw_jwt: await goodBundle(stage.phone) },
  }),
  'POST /api/v1/auth/token': async (_things, { stage }) => ({
    body: { grant_type: 'jwt_exchange', jwt: await goodBundle(stage.phone) },
  }),
  'POST /v2/session/switch_account': ({ account_id }) => ({
    body: { account_id: Number(account_id) },
  }),
  'POST /v2/session/step_up': async (_things, { db, principal, stage }) => {
    if (principal.is !== 'session' || principal.isLent) return { body: { raw_jwt: jwt } };
    const isEmail = principal.method === 'email';
    const token = isEmail ? await newEmailSession(db) : null;
    return {
      body: { raw_jwt: await goodBundle(stage.phone) },
      ...(token ? { headers: { authorization: `Bearer ${token}` } } : {}),
    };
  },
  // Uses a new session, so that no principal leaves its account.
  'DELETE /v2/accounts/{account_id}/membership': async (_things, { db, stage, isDone }) => {
    if (!isDone) return {};
    const token = await newSpareSession(db, stage.seed.account_id);
    return { headers: { authorization: `Bearer ${token}` } };
  },
  // Uses a new session, because the principal still needs its own.
  'POST /v2/session/sign_out': async (_things, { db, isDone }) =>
    isDone ? { headers: { authorization: `Bearer ${await newEmailSession(db)}` } } : {},
  'POST /create_invite_exchange_token': same({ raw_jwt: jwt }),
  'POST /exchange_invite_token': async (_things, { where, isDone }) => {
    if (where === 'unknown' || !isDone) return { body: { token: 'unknown' } };
    const made = await call('POST', '/create_invite_exchange_token', { body: { raw_jwt: jwt } });
    return { body: { token: String(made.body['token']) } };
  },
  'POST /v2/email/login/request': same({ email: 'matrix@example.test' }),
  'POST /v2/email/login/verify': same({ token: 'unknown' }),
  'POST /v2/email/link/request': same({ email: 'matrix@example.test' }),
  'POST /v2/email/link/verify': same({ token: 'unknown' }),
  'POST /v2/join/session': ({ meetingLink: link_uuid }) => ({ body: { link_uuid } }),
  'GET /v2/join/session': ({ meetingLink }) => ({ query: `link_uuid=${meetingLink}` }),
  'POST /codec/decode': same({ payloads: [] }),
  'POST /codec/encode': same({ payloads: [] }),
  'GET /assets/{name}': asset,
  'GET /logos/{name}': () => ({ path: { name: `${'0'.repeat(64)}.png` } }),
  'GET /docs/errors/{code}': () => ({ path: { code: 'not_found' } }),
  'GET /docs/reference/{name}': () => ({ path: { name: 'links' } }),
  'GET /docs/{page}': () => ({ path: { page: 'quick-start' } }),
  'GET /docs/{section}/{page}': () => ({ path: { section: 'guides', page: 'api.md' } }),
  'GET /cal/oauth/callback': () => ({ query: 'state=unknown&code=unknown' }),
  'GET /cal/oauth/start': ({ account_id }) => ({
    query: `intent=routing&account_id=${account_id}`,
  }),
  'GET /cal/routing-addresses': byAccount,
  'GET /objects/{key*}': ({ id }) => ({ path: { 'key*': `affidavits/x/${id}/v1.pdf` } }),
  'POST /v2/accounts/{account_id}/api-keys': same({ name: 'of the matrix', roles: ['VIEWER'] }),
  // A key can be rotated once.
  'POST /v2/accounts/{account_id}/api-keys/{key_id}/rotate': async (_things, { stage, isDone }) => {
    if (!isDone) return {};
    const { account_id, api_key: token } = stage.seed;
    const body = { name: 'to rotate', roles: ['VIEWER'] };
    const made = await call('POST', `/v2/accounts/${account_id}/api-keys`, { token, body });
    return { path: { key_id: String(made.body['key_id']) } };
  },
  'PUT /v2/accounts/{account_id}/apps/{app_id}': () => ({
    path: { app_id: fresh('matrix') },
    body: { name: 'Of the matrix', kind: 'sdk' },
  }),
  'PATCH /v2/accounts/{account_id}/apps/{app_id}': same({ tos_version: '1' }),
  'DELETE /v2/accounts/{account_id}/apps/{app_id}': ({ spareApp: app_id }) => ({
    path: { app_id },
  }),
  'POST /v2/accounts/{account_id}/members': ({ guest: poly_user_id }) => ({
    body: { poly_user_id, roles: ['VIEWER'] },
  }),
  'POST /v2/accounts/{account_id}/members/{poly_user_id}/recoveries': ({ app_id }) => ({
    body: { app_id },
  }),
  ...Object.fromEntries(
    ['approve', 'deny', 'cancel'].map((verb) => [
      `POST /v2/accounts/{account_id}/members/{poly_user_id}/recoveries/{recovery_id}/${verb}`,
      () => ({ path: { recovery_id: `rec_${'0'.repeat(26)}` } }),
    ]),
  ),
  'PATCH /v2/accounts/{account_id}/members/{poly_user_id}': same({ roles: ['MEMBER'] }),
  'DELETE /v2/accounts/{account_id}/members/{poly_user_id}': async (_things, scene) =>
    scene.isDone
      ? { path: { poly_user_id: await newSpareMember(scene.db, scene.stage.seed.account_id) } }
      : {},
  'PUT /v2/accounts/{account_id}/sso-providers/{provider}': () => ({
    path: { provider: fresh('matrix') },
    body: {
      kind: 'jwt',
      issuer: 'https://login.example.test',
      client_id: 'trustcheck',
      group_roles: {},
    },
  }),
  'DELETE /v2/accounts/{account_id}/sso-providers/{provider}': async (_things, scene) =>
    scene.isDone
      ? { path: { provider: await newProviderRow(scene.db, scene.stage.seed.account_id) } }
      : {},
  'POST /v2/accounts/{account_id}/webhook-endpoints': same({
    url: 'http://127.0.0.1:9/',
    types: ['meeting.ended'],
  }),
  'PATCH /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}': same({ description: 'x' }),
  'POST /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}/rotate-secret': same({}),
  'POST /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}/test': same({
    type: 'link.created',
  }),
  'DELETE /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}': async (_things, scene) => {
    if (!scene.isDone) return {};
    const { account_id, api_key: token } = scene.stage.seed;
    const livemode = scene.where !== 'test';
    const body = { url: 'http://127.0.0.1:9/', types: ['meeting.ended'], livemode };
    const path = `/v2/accounts/${account_id}/webhook-endpoints`;
    const made = await call('POST', path, { token, body });
    return { path: { endpoint_id: String(made.body['endpoint_id']) } };
  },
  'PATCH /v2/accounts/{account_id}': same({}),
  'GET /v2/analytics/prescreen/summary': byAccount,
  'POST /v2/conf-b/bot': same({}),
  'POST /v2/conf-b/event': same({}),
  'POST /v2/conf-b/loaded': same({}),
  'POST /v2/conf-b/redirect': same({}),
  'DELETE /v2/conf-b/consent/{external_id}': () => ({ path: { external_id: 'unknown' } }),
  'POST /v2/conf-a/start/{link_uuid}': started,
  'POST /v2/conf-b/start/{link_uuid}': started,
  'POST /v2/start/{link_uuid}': started,
  'POST /v2/devices': ({ app_id }, { enrollment }) => ({ body: { ...enrollment, app_id } }),
  'POST /v2/devices/{device_id}/certificate': () => attested,
  'PUT /v2/link/import/{app_id}': created,
  'PUT /v2/link/invite/{app_id}': created,
  'PUT /v2/link/type/{link_type}': ({ app_id }) => ({
    path: { link_type: 'trust_check' },
    query: `app_id=${app_id}`,
    body: {},
  }),
  'PUT /v2/link/{app_id}': created,
  'PUT /v2/{app_id}': created,
  'POST /v2/link/send/{app_id}': same({
    required_proofs: ['phone'],
    send_to_email: 'matrix@example.test',
  }),
  'DELETE /v2/link/{app_id}/{link_uuid}': removed,
  'DELETE /v2/{app_id}/{link_uuid}': removed,
  'DELETE /v2/{link_uuid}': removed,
  'PATCH /v2/link/{app_id}/{link_uuid}': same({ metadata: {} }),
  'PATCH /v2/{app_id}/{link_uuid}': same({ metadata: {} }),
  'PATCH /v2/{link_uuid}': same({ metadata: {} }),
  'POST /v2/{app_id}/{link_uuid}': () => ({ ...attested, body: {} }),
  'POST /v2/{link_uuid}': () => ({ ...attested, body: {} }),
  'GET /v2/preview/{format_type}/{app_id}/{link_uuid}': () => ({ path: { format_type: 'J' } }),
  'POST /v2/logs/continuity': ({ account_id }, { stage }) => ({
    body: { account_id: Number(account_id), poly_user_ids: [stage.seed.member.poly_user_id] },
  }),
  'POST /v2/logs/meeting/details': inMeeting,
  'POST /v2/reports/meeting': inMeeting,
  'GET /v2/meeting/{platform}/{meeting_id}': () => ({ path: { platform: 'sandbox' } }),
  'GET /v2/meeting-by-link/{link_uuid}': ({ meetingLink: link_uuid }) => ({ path: { link_uuid } }),
  'GET /v2/photo/{bucket_name}/{object_path}': () => ({ path: { bucket_name: 'photos' } }),
  'POST /v2/mail/events': same([]),
  'POST /v2/sms/events': () => ({ query: `send=tc_${'0'.repeat(26)}.1.1`, body: [] }),
  'POST /v2/sandbox/advance': ({ id: link_session_id }) => ({
    body: { link_session_id, seconds: 1 },
  }),
  'POST /v2/sandbox/events': ({ link_uuid: object_id }) => ({
    body: { type: 'link.created', object_id },
  }),
  'POST /v2/sandbox/meetings/{meeting_id}/events': same({ kind: 'joined' }),
  'POST /v2/ticket/{app_id}': same({}),
  'POST /v2/ticket/{app_id}/{link_uuid}': same({}),
  'POST /v2/trust-checks': ({ pausedLink: link_uuid }) => ({ body: { link_uuid, client: 'web' } }),
  'GET /v2/trust-checks': byAccount,
  'POST /v2/trust-checks/{id}/cancel': same({}),
  'POST /v2/trust-checks/{id}/challenges': same({ proof: 'nfc_passport' }),
  'POST /v2/trust-checks/{id}/consent': same({ accepted: true, tos_version: '1' }),
  'PUT /v2/trust-checks/{id}/evidence/{name}': () => ({
    path: { name: 'sod' },
    raw: new Uint8Array([0x30, 0]),
  }),
  'POST /v2/trust-checks/{id}/hand-over': same({ phone_number: '+4915112345678' }),
  'POST /v2/trust-checks/{id}/phone/code': same({ phone_number: '+4915112345678' }),
  'POST /v2/trust-checks/{id}/proofs/{proof}': () => ({
    path: { proof: 'phone' },
    body: { code: '000000' },
  }),
  'POST /v2/trust-checks/{id}/redact': ofRunning(),
  'POST /v2/trust-checks/{id}/review': same({ decision: 'approve', note: 'fine' }),
};
