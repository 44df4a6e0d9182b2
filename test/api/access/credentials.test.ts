import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { mintCheckToken } from '../../../activities/tokens/check-token.ts';
import { beginSession, call, newLink } from '../../support/http/client.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, baseUrl, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());
const past = new Date(Date.now() - 5 * 24 * 3600_000);
const keyed = '/v2/rate-limits';
const told = async (path: string, headers: Record<string, string>): Promise<unknown[]> => {
  const answer = await call('GET', path, { headers });
  return [answer.status, answer.body['code'], answer.headers.get('www-authenticate')];
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const header = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const strangersToken = [
  header({ alg: 'ES256', typ: 'session+jwt', kid: 'x' }),
  header({ iat: 1, exp: 2, sub: 'pu_1' }),
  Buffer.alloc(64, 1).toString('base64url'),
].join('.');

describe('a refused credential', () => {
  it('is reported as missing if none was sent', async () => {
    expect(await told(keyed, {})).toEqual([401, 'credential_missing', 'Bearer']);
  });

  it.each([
    { authorization: 'Basic dXNlcjpwYXNz' },
    { authorization: 'Bearer' },
    bearer('nonsense'),
    bearer('a.b.c'),
    bearer('tk_live_short'),
    bearer(`tk_live_${'a'.repeat(12)}_${'b'.repeat(33)}`),
    bearer('a'.repeat(9_000)),
    { 'x-api-key': 'nonsense' },
  ])('is reported as malformed for %j', async (headers) => {
    expect(await told(keyed, headers)).toEqual([401, 'credential_malformed', 'Bearer']);
  });

  it('is reported as expired only if its signature is valid', async () => {
    const session = await beginSession(await newLink());
    const keys = platformKeys();
    const { token } = await mintCheckToken(
      keys.tokens,
      baseUrl,
      { linkSessionId: session.id, jkt: 'a key' },
      past,
    );
    const path = `/v2/trust-checks/${session.id}`;
    expect(await told(path, bearer(token))).toEqual([401, 'credential_expired', 'Bearer']);
    const [head, claims] = token.split('.');
    const altered = [head, claims, Buffer.alloc(64, 1).toString('base64url')].join('.');
    expect(await told(path, bearer(altered))).toEqual([401, 'credential_invalid', 'Bearer']);
  });

  it('is reported as an expired API key only if its secret is right', async () => {
    const made = await call('POST', `/v2/accounts/${own.account_id}/api-keys`, {
      token: own.api_key,
      body: { name: 'ending', roles: ['VIEWER'] },
    });
    const { api_key: key, key_id: id } = made.body;
    await db.query(`UPDATE api_keys SET expires_at = now() - interval '1 s' WHERE key_id = $1`, [
      id,
    ]);
    expect(await told(keyed, bearer(String(key)))).toEqual([401, 'credential_expired', 'Bearer']);
    const guessed = `${String(key).slice(0, -1)}${String(key).endsWith('a') ? 'b' : 'a'}`;
    expect(await told(keyed, bearer(guessed))).toEqual([401, 'credential_invalid', 'Bearer']);
  });

  it('is reported as ambiguous if two Authorization headers are sent', async () => {
    const bearers = [1, 2].flatMap(() => ['Authorization', `Bearer ${own.api_key}`]);
    const headers = ['Host', new URL(baseUrl).host, ...bearers];
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${baseUrl}${keyed}`, { headers }, resolve).on('error', reject);
    });
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([400, 'no-store']);
    expect(JSON.parse(await text(answer))).toMatchObject({ code: 'credential_ambiguous' });
  });

  it.each([
    ['an unknown API key', `tk_live_${'a'.repeat(12)}_${'b'.repeat(32)}`],
    ['a key with another secret', `${own.api_key.slice(0, 20)}_${'b'.repeat(32)}`],
    ['a token of a stranger', strangersToken],
  ])('is reported as invalid for %s', async (_what, token) => {
    expect(await told(keyed, bearer(token))).toEqual([401, 'credential_invalid', 'Bearer']);
  });
});

describe('a public operation', () => {
  const refused = [
    bearer('nonsense'),
    bearer(strangersToken),
    { authorization: 'Basic dXNlcjpwYXNz' },
    { 'x-api-key': 'nonsense' },
    { ...bearer(own.api_key), 'x-api-key': own.api_key },
  ];

  it.each(refused)('ignores the credential %j', async (headers) => {
    for (const path of ['/livez', '/.well-known/jwks.json', '/openapi.json', '/v2/first-run']) {
      expect([path, (await call('GET', path, { headers })).status]).toEqual([path, 200]);
    }
    const uuid = await newLink();
    expect((await call('GET', `/v2/${uuid}?format_type=J`, { headers })).status).toBe(200);
    const body = { email: `public-${process.pid}@example.test` };
    const asked = await call('POST', '/v2/email/login/request', { headers, body });
    expect(asked.status).toBe(202);
  });

  it('judges only the bundle, not the credential, at portal login', async () => {
    const headers = bearer('nonsense');
    const answer = await call('POST', '/portal_login', { headers, body: { raw_jwt: 'a.b.c' } });
    expect([answer.status, answer.body['code']]).toEqual([401, 'credential_invalid']);
  });
});
