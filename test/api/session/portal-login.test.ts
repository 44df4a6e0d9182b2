import { afterAll, describe, expect, it } from 'vitest';
import { readSessionToken } from '../../../activities/tokens/session-token.ts';
import { addMembership } from '../../../db/queries/seeding.ts';
import type { Device } from '../../../simulator/device/device.ts';
import { enroll, enrolledPhone, newChallenge, newPhone } from '../../support/checks/phone.ts';
import { call, newLink } from '../../support/http/client.ts';
import {
  changedBundle,
  goodBundle,
  platformKeys,
  portalLogin,
  type Members,
} from '../../support/keys/bundles.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl, own, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

/** Returns an enrolled phone of the seeded member. */
async function memberPhone(platform: 'ios' | 'android' = 'ios'): Promise<Device> {
  const device = await newPhone(platform);
  const answer = await enroll(device, {}, { token: own.member.session_token });
  if (answer.status !== 201) throw new Error(`not enrolled: ${answer.text}`);
  return device;
}

/** Returns a phone of a new person with these memberships. */
async function phoneOf(memberships: Record<number, string[]>): Promise<Device> {
  const device = await enrolledPhone();
  for (const [account, roles] of Object.entries(memberships)) {
    const values = [device.enrolled?.polyUserId, Number(account), roles, new Date()];
    await addMembership(db, values);
  }
  return device;
}

const both = { [own.account_id]: ['ADMIN'], [foreign.account_id]: ['VIEWER'] };
const tokenOf = (body: Members): string => String(body['session_token']);

describe.each(['ios', 'android'] as const)('portal login by an %s phone', (platform) => {
  it('opens a session in the person’s only account', async () => {
    const device = await memberPhone(platform);
    const before = Date.now();
    const answer = await portalLogin(await goodBundle(device, { nonce: await newChallenge() }));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toEqual({
      session_token: expect.any(String),
      token_type: 'Bearer',
      expires_at: expect.any(String),
      auth_method: 'cert',
      account_id: own.account_id,
      roles: ['MEMBER'],
      poly_user_id: own.member.poly_user_id,
      accounts: [{ account_id: own.account_id, name: expect.any(String), roles: ['MEMBER'] }],
    });
    const lifeMs = Date.parse(String(answer.body['expires_at'])) - before;
    expect(lifeMs).toBeGreaterThan(3590_000);
    expect(lifeMs).toBeLessThanOrEqual(3601_000);
  });

  it('returns a token that works as a session', async () => {
    const device = await memberPhone(platform);
    const token = tokenOf((await portalLogin(await goodBundle(device))).body);
    const devices = await call('GET', '/v2/devices', { token });
    const ids = (devices.body['items'] as Members[]).map((item) => item['device_id']);
    expect(ids).toContain(device.enrolled?.deviceId);
    const link = await call('PUT', `/v2/link/${own.app_id}`, { token, body: {} });
    expect(link.status).toBe(200);
    expect(link.body['created_by']).toBe(own.member.poly_user_id);
  });
});

describe('the token of a session', () => {
  it('contains what was proved, and its row can be revoked', async () => {
    const device = await memberPhone();
    const { body } = await portalLogin(await goodBundle(device));
    const claims = await readSessionToken(platformKeys(), baseUrl, tokenOf(body), new Date());
    expect(claims).toMatchObject({
      sub: own.member.poly_user_id,
      auth_method: 'cert',
      acr: 'urn:trustcheck:assurance:cert',
      amr: ['hwk', 'pop'],
      account_id: own.account_id,
      roles: ['MEMBER'],
    });
    expect(new Date((claims?.exp ?? 0) * 1000).toISOString()).toBe(body['expires_at']);
    expect(claims?.auth_time).toBeLessThanOrEqual(claims?.iat ?? 0);
    const { rowCount } = await db.query('UPDATE sessions SET revoked_at = now() WHERE sid = $1', [
      claims?.sid,
    ]);
    expect(rowCount).toBe(1);
    const refused = await call('GET', '/v2/devices', { token: tokenOf(body) });
    expect(refused.status).toBe(401);
  });

  it('has no account for a person without memberships', async () => {
    const device = await enrolledPhone();
    const { status, body } = await portalLogin(await goodBundle(device));
    expect([status, body['account_id'], body['roles'], body['accounts']]).toEqual([
      200,
      null,
      [],
      [],
    ]);
    const devices = await call('GET', '/v2/devices', { token: tokenOf(body) });
    expect(devices.status).toBe(200);
    const links = await call('PUT', `/v2/link/${own.app_id}`, { token: tokenOf(body), body: {} });
    expect(links.status).toBe(404);
  });
});

describe('the account of a session', () => {
  it('is the one joined first if there are several and none is named', async () => {
    const device = await phoneOf(both);
    const { body } = await portalLogin(await goodBundle(device));
    expect(body['account_id']).toBe(own.account_id);
    const ids = (body['accounts'] as Members[]).map((one) => one['account_id']);
    expect(ids).toEqual([own.account_id, foreign.account_id]);
  });

  it.each([
    ['account_id', { account_id: own.account_id }, {}],
    ['app_id', { app_id: own.app_id }, {}],
    ['the audience', {}, { aud: `${baseUrl}/accounts/${own.account_id}` }],
    ['an app as audience', {}, { aud: `${baseUrl}/apps/${own.app_id}` }],
    ['azp', {}, { azp: own.app_id }],
    [
      'all of them',
      { account_id: own.account_id, app_id: own.app_id },
      { aud: `${baseUrl}/apps/${own.app_id}`, azp: own.app_id },
    ],
  ] as const)('can be named by %s', async (_what, body, claims) => {
    const device = await phoneOf(both);
    const answer = await portalLogin(changedBundle(device, { claims }), body);
    expect(answer.status).toBe(200);
    expect([answer.body['account_id'], answer.body['roles']]).toEqual([own.account_id, ['ADMIN']]);
  });

  it('can be named by a link', async () => {
    const device = await phoneOf(both);
    const link_uuid = await newLink();
    const answer = await portalLogin(await goodBundle(device), { link_uuid });
    expect(answer.body['account_id']).toBe(own.account_id);
  });

  it('is only that of the app for which the bundle was made', async () => {
    const device = await phoneOf({ [foreign.account_id]: ['ADMIN'] });
    const audience = `${baseUrl}/apps/${own.app_id}`;
    const answer = await portalLogin(await goodBundle(device, { audience }));
    expect([answer.status, answer.body['account_id'], answer.body['roles']]).toEqual([
      200,
      null,
      [],
    ]);
    const body = { account_id: foreign.account_id };
    const forced = await portalLogin(await goodBundle(device, { audience }), body);
    expect(forced.status).toBe(401);
  });

  it.each([
    ['a foreign account', { account_id: foreign.account_id }, {}],
    ['an unknown account', { account_id: 2_000_000_000 }, {}],
    ['a foreign account as audience', {}, { aud: `${baseUrl}/accounts/${foreign.account_id}` }],
    ['an unknown app', { app_id: 'no-such-app' }, {}],
    ['an unknown link', { link_uuid: '00000000-0000-4000-8000-000000000000' }, {}],
    [
      'an app that is not the audience',
      { app_id: foreign.app_id },
      { aud: `${baseUrl}/apps/${own.app_id}` },
    ],
    ['an app that is not azp', { app_id: foreign.app_id }, { azp: own.app_id }],
    [
      'an account that is not the audience',
      { account_id: foreign.account_id },
      { aud: `${baseUrl}/accounts/${own.account_id}` },
    ],
    ['an app of another account', { account_id: own.account_id, app_id: foreign.app_id }, {}],
  ] as const)('is refused if the call names %s', async (_what, body, claims) => {
    const device = await memberPhone();
    const answer = await portalLogin(changedBundle(device, { claims }), body);
    expect([answer.status, answer.body['code']]).toEqual([401, 'credential_invalid']);
  });

  it('has the current roles of the membership', async () => {
    const device = await phoneOf({ [own.account_id]: ['VIEWER'] });
    const user = device.enrolled?.polyUserId;
    const login = async () => (await portalLogin(await goodBundle(device))).body;
    expect((await login())['roles']).toEqual(['VIEWER']);
    await db.query('UPDATE memberships SET roles = $2 WHERE poly_user_id = $1', [
      user,
      ['REVIEWER', 'NONSENSE'],
    ]);
    expect((await login())['roles']).toEqual(['REVIEWER']);
    await db.query('DELETE FROM memberships WHERE poly_user_id = $1', [user]);
    expect((await login())['account_id']).toBeNull();
  });

  it('cannot be disabled', async () => {
    const { rows } = await db.query<{ account_id: number }>(
      `INSERT INTO accounts (name, created_at, disabled_at) VALUES ('Disabled account', now(), now())
       RETURNING account_id`,
    );
    const account_id = rows[0]?.account_id ?? 0;
    const device = await phoneOf({ [account_id]: ['ADMIN'] });
    const { body } = await portalLogin(await goodBundle(device));
    expect([body['account_id'], body['accounts']]).toEqual([null, []]);
    const refused = await portalLogin(await goodBundle(device), { account_id });
    expect(refused.status).toBe(401);
    const aud = `${baseUrl}/accounts/${account_id}`;
    expect((await portalLogin(await goodBundle(device, { audience: aud }))).status).toBe(401);
  });
});

describe('the body of a portal login', () => {
  it('may name the bundle jwt, or both names with equal values', async () => {
    const device = await memberPhone();
    const jwt = await goodBundle(device);
    expect((await call('POST', '/portal_login', { body: { jwt } })).status).toBe(200);
    const again = await goodBundle(device);
    expect((await portalLogin(again, { jwt: again })).status).toBe(200);
  });

  it('rejects unknown members before it spends the bundle', async () => {
    const device = await memberPhone();
    const bundle = await goodBundle(device);
    const refused = await portalLogin(bundle, { accountid: 1 });
    expect([refused.status, refused.body['detail']]).toMatchObject([
      422,
      [{ loc: ['body', 'accountid'], msg: expect.stringContaining('account_id') }],
    ]);
    expect((await portalLogin(bundle)).status).toBe(200);
  });

  it.each([
    ['nothing', {}],
    ['two bundles that differ', { raw_jwt: 'a.b.c', jwt: 'a.b.d' }],
    ['a bundle that is a number', { raw_jwt: 7 }],
    ['an empty bundle', { raw_jwt: '' }],
    ['a list of bundles', { raw_jwt: ['a.b.c'] }],
    ['null', { raw_jwt: null }],
    ['an account that is text', { raw_jwt: 'a.b.c', account_id: '1' }],
    ['an account that is a fraction', { raw_jwt: 'a.b.c', account_id: 1.5 }],
    ['an account below one', { raw_jwt: 'a.b.c', account_id: 0 }],
    ['an account beyond all', { raw_jwt: 'a.b.c', account_id: 2 ** 31 }],
    ['an app that is a number', { raw_jwt: 'a.b.c', app_id: 7 }],
    ['a link off its form', { raw_jwt: 'a.b.c', link_uuid: '../x' }],
    ['a list', []],
  ])('returns 422 for %s', async (_what, body) => {
    const answer = await call('POST', '/portal_login', { body });
    expect(answer.status).toBe(422);
    expect(answer.body['detail']).toBeInstanceOf(Array);
  });

  it.each([
    ['no body', undefined, 422],
    ['no JSON', '{', 422],
    ['a member twice', '{"raw_jwt":"a.b.c","raw_jwt":"a.b.c"}', 422],
    ['a prototype', '{"raw_jwt":"a.b.c","__proto__":{}}', 422],
    ['over 256 KiB', JSON.stringify({ raw_jwt: 'x'.repeat(300_000) }), 413],
  ])('is rejected if it has %s', async (_what, raw, status) => {
    const answer = await call('POST', '/portal_login', raw === undefined ? {} : { raw });
    expect(answer.status).toBe(status);
  });

  it('must be JSON', async () => {
    const headers = { 'content-type': 'application/jwt' };
    const answer = await call('POST', '/portal_login', { raw: 'a.b.c', headers });
    expect(answer.status).toBe(415);
  });

  it('gets RateLimit headers in its answer', async () => {
    const { headers } = await portalLogin('a.b.c');
    expect(Number(headers.get('ratelimit-limit'))).toBe(600);
    expect(Number(headers.get('ratelimit-remaining'))).toBeLessThan(600);
  });
});
