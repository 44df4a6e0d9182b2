import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, type Answer } from '../../support/http/client.ts';
import { startPath } from '../../support/people/calendar.ts';
import { newEmailUser } from '../../support/people/email-users.ts';
import { newKey } from '../../support/people/samples.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';

const { own, foreign, baseUrl, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const routing = { intent: 'routing', account_id: String(own.account_id), return_to: '/done?x=1' };
const outcome = ({ status, body }: Answer) => [status, body['code']];
/** Starts are rate-limited per caller, so each test has a key of its own. */
const newAdminKey = () => newKey(['ADMIN']);
const ask = (query: Readonly<Record<string, string>>, token: string, at?: string) =>
  call('GET', startPath(query), { token, ...(at ? { at } : {}) });

/** An API without a calendar provider. */
let bare: SecondApi;
beforeAll(async () => {
  bare = await startSecondApi();
});
afterAll(() => Promise.all([bare.stop(), db.end()]));

describe('calendar.start', () => {
  it('returns a consent URL with PKCE and sets a cookie for this browser', async () => {
    const answer = await ask(routing, own.api_key);
    expect(answer.status).toBe(200);
    const url = new URL(String(answer.body['authorize_url']));
    const asked = Object.fromEntries(url.searchParams);
    expect(asked).toEqual({
      response_type: 'code',
      client_id: 'trustcheck-calendar',
      redirect_uri: `${baseUrl}/cal/oauth/callback`,
      scope: 'openid email offline_access',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      access_type: 'offline',
      prompt: 'consent',
      include_granted_scopes: 'false',
    });
    const [value = '', ...attributes] = (answer.headers.get('set-cookie') ?? '').split('; ');
    expect(value).toMatch(/^trustcheck-calendar=[\w-]{43}$/);
    expect(attributes).toEqual(['Path=/', 'Max-Age=600', 'HttpOnly', 'SameSite=Lax']);
    const inMs = Date.parse(String(answer.body['expires_at'])) - Date.now();
    expect(inMs).toBeGreaterThan(500_000);
    expect(inMs).toBeLessThanOrEqual(600_000);
    // The secrets of the flow are not stored in plain text.
    const { rows } = await db.query('SELECT * FROM calendar_flows');
    const kept = JSON.stringify(rows);
    const secrets = [asked['state'], asked['nonce'], value.split('=')[1]];
    for (const secret of secrets) expect(kept).not.toContain(secret);
  });

  it.each([
    ['no intent', { account_id: '1' }],
    ['an unknown intent', { ...routing, intent: 'owner' }],
    ['no number', { ...routing, account_id: 'x' }],
    ['neither true nor false', { ...routing, shared: 'yes' }],
    ['a long return_to', { ...routing, return_to: `/${'x'.repeat(3000)}` }],
  ])('returns 422 for %s', async (_, query) => {
    expect((await ask(query, own.api_key)).status).toBe(422);
  });

  it.each([
    'https://evil.example.com/',
    '//evil.example.com/',
    '/\\evil.example.com',
    '/%2f/evil.example.com',
    '/%5Cevil.example.com',
    'javascript:alert(1)',
    'done',
    '/a b',
    '/a\nb',
    `${baseUrl}@evil.example.com/`,
    `${baseUrl}.evil.example.com/`,
    `${baseUrl.replace('//', '//user:pass@')}/`,
    'data:text/html,x',
    'HTTPS:evil.example.com',
  ])('rejects the return_to %j', async (return_to) => {
    const answer = await ask({ ...routing, return_to }, await newAdminKey());
    const fault = expect.objectContaining({
      loc: ['query', 'return_to'],
      type: 'forbidden_target',
    });
    expect([answer.status, answer.body['detail']]).toEqual([422, [fault]]);
  });

  it('requires an ADMIN for an address, a POLYADMIN for a shared one, a session for one’s own', async () => {
    const member = await newKey(['MEMBER']);
    const organizer = { ...routing, intent: 'organizer' };
    const refusals = [
      await ask(routing, member),
      await ask({ ...routing, shared: 'true' }, own.api_key),
      await ask({ ...routing, shared: 'true' }, own.admin.session_token),
      await ask(organizer, own.api_key),
      await ask(routing, foreign.api_key),
    ];
    expect(refusals.map(outcome)).toEqual([
      [403, 'role_required'],
      [403, 'role_required'],
      [403, 'role_required'],
      [400, 'session_required'],
      [404, 'not_found'],
    ]);
    expect((await ask(organizer, own.member.session_token)).status).toBe(200);
    // Without account_id it is the account of the credential.
    expect((await ask({ intent: 'routing' }, own.api_key)).status).toBe(200);
    const nobody = await newEmailUser(db);
    expect(outcome(await ask({ intent: 'organizer' }, nobody.token))).toEqual([
      400,
      'account_required',
    ]);
  });

  it('returns 409 without a provider, after all other checks', async () => {
    expect(outcome(await ask(routing, own.api_key, bare.origin))).toEqual([
      409,
      'platform_not_configured',
    ]);
    expect(outcome(await ask(routing, foreign.api_key, bare.origin))).toEqual([404, 'not_found']);
    const list = `/cal/routing-addresses?account_id=${own.account_id}`;
    expect(outcome(await call('GET', list, { token: own.api_key, at: bare.origin }))).toEqual([
      409,
      'platform_not_configured',
    ]);
  });

  it('returns 503 while the provider is unavailable, and starts no flow', async () => {
    const away = await startSecondApi({
      CAL_ISSUER: 'http://127.0.0.1:9',
      CAL_CLIENT_ID: 'x',
      CAL_CLIENT_SECRET: 'x',
    });
    const answer = await ask(routing, own.api_key, away.origin);
    await away.stop();
    expect(outcome(answer)).toEqual([503, 'dependency_unavailable']);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });
});
