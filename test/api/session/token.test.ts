import { describe, expect, it } from 'vitest';
import type { Device } from '../../../simulator/device/device.ts';
import { enroll, enrolledPhone, newPhone } from '../../support/checks/phone.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { goodBundle, type Members } from '../../support/keys/bundles.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, own, foreign } = ownPlatform();

const exchange = (body: Members): Promise<Answer> => call('POST', '/api/v1/auth/token', { body });
const byJwt = (jwt: string): Promise<Answer> => exchange({ grant_type: 'jwt_exchange', jwt });

async function memberPhone(platform: 'ios' | 'android'): Promise<Device> {
  const device = await newPhone(platform);
  await enroll(device, {}, { token: own.member.session_token });
  return device;
}

describe('the token exchange', () => {
  it.each(['ios', 'android'] as const)(
    'returns a session for a bundle of an %s phone',
    async (kind) => {
      const answer = await byJwt(await goodBundle(await memberPhone(kind)));
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(Object.keys(answer.body).sort()).toEqual(['expires_at', 'session_token']);
      expect(answer.body['expires_at']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const token = String(answer.body['session_token']);
      const link = await call('PUT', `/v2/link/${own.app_id}`, { token, body: {} });
      expect(link.status).toBe(200);
    },
  );

  it('opens the session in the account of the bundle’s audience', async () => {
    const device = await memberPhone('ios');
    const audience = `${baseUrl}/accounts/${own.account_id}`;
    expect((await byJwt(await goodBundle(device, { audience }))).status).toBe(200);
    const elsewhere = `${baseUrl}/accounts/${foreign.account_id}`;
    expect((await byJwt(await goodBundle(device, { audience: elsewhere }))).status).toBe(401);
  });

  it('refuses a person without an account like a bad token', async () => {
    const device = await enrolledPhone();
    const refused = await byJwt(await goodBundle(device));
    const bad = await byJwt('a.b.c');
    const told = ({ status, body }: Answer) => [status, { ...body, request_id: '' }];
    expect(told(refused)).toEqual(told(bad));
    expect(refused.body['code']).toBe('credential_invalid');
  });

  it.each([
    ['nothing', {}],
    ['an unknown grant', { grant_type: 'password', jwt: 'a.b.c' }],
    ['a grant that is a number', { grant_type: 7, jwt: 'a.b.c' }],
    ['a grant of another case', { grant_type: 'JWT_EXCHANGE', jwt: 'a.b.c' }],
    ['no grant', { jwt: 'a.b.c' }],
    ['no token', { grant_type: 'jwt_exchange' }],
    ['an empty token', { grant_type: 'jwt_exchange', jwt: '' }],
    ['a token that is an object', { grant_type: 'jwt_exchange', jwt: {} }],
    ['raw_jwt in place of jwt', { grant_type: 'jwt_exchange', raw_jwt: 'a.b.c' }],
    ['no provider', { grant_type: 'sso_exchange', access_token: 'x' }],
    ['no access token', { grant_type: 'sso_exchange', provider: 'an-idp' }],
    ['a provider that is a list', { grant_type: 'sso_exchange', provider: [], access_token: 'x' }],
    [
      'a provider without end',
      { grant_type: 'sso_exchange', provider: 'x'.repeat(65), access_token: 'x' },
    ],
  ])('returns 422 for %s', async (_what, body) => {
    const answer = await exchange(body);
    expect(answer.status).toBe(422);
    expect(answer.body['detail']).toBeInstanceOf(Array);
  });

  it('rejects form bodies', async () => {
    const answer = await call('POST', '/api/v1/auth/token', {
      raw: 'grant_type=jwt_exchange&jwt=a.b.c',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(answer.status).toBe(415);
  });
});
