import { describe, expect, it } from 'vitest';
import { call, type Answer } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();
const mark = `${process.pid}-${Date.now()}`;
const at = `/v2/accounts/${own.account_id}/apps`;
let last = 0;
const newId = (): string => `form-${mark}-${(last += 1)}`;
const create = (id: string, body: unknown): Promise<Answer> =>
  call('PUT', `${at}/${id}`, { token: own.api_key, body });
const sdk = { name: 'An app', kind: 'sdk' };
const pome = { team_id: 'ABCDE12345', bundle_id: 'a.b' };
const robot = { package: 'a.b', signature_digests: ['ab'.repeat(32)] };

describe('an app', () => {
  it.each(['link', 'trust-checks', 'accounts', 'mail', 'calls'])(
    'cannot have the id %s, which is a path',
    async (id) => {
      const refused = await create(id, sdk);
      expect(refused.status).toBe(422);
      expect(refused.body['detail']).toEqual([
        { loc: ['path', 'app_id'], msg: expect.any(String), type: 'app_id_reserved' },
      ]);
    },
  );

  it.each(['ab', '-abc', 'Abc', 'a_b', 'a.b', 'a'.repeat(64), 'ünïcode'])(
    'cannot have the id %s',
    async (id) => {
      expect((await create(encodeURI(id), sdk)).status).toBe(422);
    },
  );

  it.each([
    [{}],
    [{ name: 'a' }],
    [{ ...sdk, kind: 'web' }],
    [{ ...sdk, name: 'a\u0000' }],
    [{ ...sdk, redirect_url: 'javascript:alert(1)' }],
    [{ ...sdk, tos_url: 'http://example.test/' }],
    [{ ...sdk, logo_url: '//example.test/x' }],
    [{ ...sdk, brand_color: '#fff' }],
    [{ ...sdk, brand_color: 'red;}' }],
    [{ ...sdk, support_email: 'help' }],
    [{ ...sdk, auto_redirect: 'yes' }],
    [{ ...sdk, default_proofs: [] }],
    [{ ...sdk, default_proofs: ['phone', 'phone'] }],
    [{ ...sdk, default_proofs: ['retina'] }],
    [{ ...sdk, apple: { team_id: 'abc', bundle_id: 'a.b' } }],
    [{ ...sdk, apple: { team_id: 'ABCDE12345', bundle_id: 'no dots here' } }],
    [{ ...sdk, android: { package: 'a.b', signature_digests: [] } }],
    [{ ...sdk, android: { package: 'a.b', signature_digests: ['ab'] } }],
    [{ ...sdk, android: { ...robot, version_min: 0 } }],
    [{ ...sdk, android: { ...robot, version_min: 1.5 } }],
    [{ ...sdk, android: { ...robot, integrity_min: 'basic' } }],
    [{ ...sdk, android: { ...robot, play_token: 'always' } }],
    [{ ...sdk, android: { ...robot, security_level_min: 'software' } }],
    [{ ...sdk, android: { ...robot, patch_level_min: 202_613 } }],
    [{ ...sdk, android: { ...robot, patch_level_min: 20_260_901 } }],
    [{ ...sdk, apple: { ...pome, categories: [] } }],
    [{ ...sdk, apple: { ...pome, categories: ['app_store', 'app_store'] } }],
    [{ ...sdk, apple: { ...pome, categories: ['os'] } }],
    [{ ...sdk, apple: { ...pome, category_required: 'yes' } }],
    [{ ...sdk, apple: { ...pome, bundle_versions: [''] } }],
    [{ ...sdk, apple: { ...pome, bundle_versions: ['1', '1'] } }],
    [{ ...sdk, android: { package: 'a/b', signature_digests: ['ab'.repeat(32)] } }],
    [{ ...sdk, livemode: null }],
    [{ ...sdk, tos_version: '' }],
  ])('is not created from %j', async (body) => {
    expect((await create(newId(), body)).status).toBe(422);
  });

  it.each([
    'https://example.test/',
    'https://example.test/path',
    'https://*.example.test',
    'https://example.test:443',
    'https://EXAMPLE.test',
    'https://user@example.test',
    'http://example.test',
    'https://example.test:99999',
    'https://exämple.test',
    'null',
    '*',
    'file://',
    'https://example.test\n',
  ])('rejects the allowed origin %j', async (origin) => {
    const body = { ...sdk, allowed_origins: [origin] };
    expect((await create(newId(), body)).status).toBe(422);
  });

  it('allows CORS for at most twenty origins of its own', async () => {
    const origin = `https://a${mark}.example.test`;
    const preflight = () =>
      fetch(`${baseUrl}/v2/trust-checks`, { method: 'OPTIONS', headers: { origin } });
    expect((await preflight()).headers.get('access-control-allow-origin')).toBeNull();
    const id = newId();
    await create(id, { ...sdk, allowed_origins: [origin] });
    expect((await preflight()).headers.get('access-control-allow-origin')).toBe(origin);
    await call('DELETE', `${at}/${id}`, { token: own.api_key });
    expect((await preflight()).headers.get('access-control-allow-origin')).toBeNull();
    const many = Array.from({ length: 21 }, (_, n) => `https://h${n}.example.test`);
    expect((await create(newId(), { ...sdk, allowed_origins: many })).status).toBe(422);
    const twice = { ...sdk, allowed_origins: [origin, origin] };
    expect((await create(newId(), twice)).status).toBe(422);
  });
});
