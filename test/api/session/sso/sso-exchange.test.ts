import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../../cli/data-directory/seed.ts';
import { randomIds } from '../../../../db/ids.ts';
import { call, type Answer } from '../../../support/http/client.ts';
import type { Members } from '../../../support/keys/bundles.ts';
import { newAccount } from '../../../support/people/accounts.ts';
import { audited } from '../../../support/people/audited.ts';
import {
  accessToken,
  claimsOf,
  endSignIn,
  exchange,
  newProvider,
  putProvider,
  ssoClient,
  startKeyedIssuer,
  startSignIn,
  type KeyedIssuer,
} from '../../../support/people/sso.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { databaseUrl, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
const mark = `${process.pid}-${Date.now()}`;
let idp: KeyedIssuer;
let account: Seed;
let polyadmin: string;
beforeAll(async () => {
  const stage = await startSignIn(db, `exchange-${mark}`);
  ({ idp, account } = stage);
  polyadmin = stage.polyadmin.api_key;
});
afterAll(async () => {
  await endSignIn(idp);
  await db.end();
});

const newName = (): string => newProvider(mark);
const put = (name: string, changes: Members = {}, of: Of = account): Promise<string> =>
  putProvider(name, { issuer: idp.issuer.issuer, ...changes }, of);
type Of = Pick<Seed, 'account_id' | 'api_key'>;
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const newSubject = (): string => randomIds.make('sub');
describe('an access token of an SSO provider', () => {
  let provider: string;
  beforeAll(async () => {
    provider = await put(newName());
  });

  it('makes its subject a member and opens a session in the provider’s account', async () => {
    const answer = await exchange(provider, accessToken(idp, { groups: ['staff', 'readers'] }));
    expect([answer.status, Object.keys(answer.body).toSorted()]).toEqual([
      200,
      ['expires_at', 'session_token'],
    ]);
    const claims = claimsOf(answer);
    expect(claims).toMatchObject({
      account_id: account.account_id,
      roles: ['VIEWER', 'MEMBER'],
      auth_method: 'email',
      idp: provider,
    });
    expect(claims['amr']).toEqual(['fed']);
    expect(answer.body['expires_at']).toBe(new Date(Number(claims['exp']) * 1000).toISOString());
    const token = String(answer.body['session_token']);
    const link = await call('PUT', `/v2/link/${account.app_id}`, { token, body: {} });
    expect(link.status).toBe(200);
    const { account_id: only } = account;
    const { body: live } = await call('GET', '/v2/sessions', { token });
    expect(live['items']).toMatchObject([{ sid: claims['sid'], confined_to: only, current: true }]);
    const members = await call('GET', `/v2/accounts/${account.account_id}/members`, { token });
    expect(outcome(members)).toEqual([403, 'role_required']);
    const told = (await audited(account)).filter(({ object_id }) => object_id === claims['sub']);
    expect(told.map(({ action, actor, details }) => [action, actor, details])).toEqual([
      ['sso_subject.bound', `sso:${provider}`, { provider, identity_id: null }],
      ['member.added', `sso:${provider}`, { provider, to: { roles: ['VIEWER', 'MEMBER'] } }],
    ]);
  });

  it('identifies the same person each time, but not across issuers or accounts', async () => {
    const sub = newSubject();
    const token = accessToken(idp, { sub });
    const again = await exchange(provider, accessToken(idp, { sub }));
    const first = claimsOf(await exchange(provider, token));
    expect(claimsOf(again)['sub']).toBe(first['sub']);
    expect(claimsOf(again)['sid']).not.toBe(first['sid']);
    const second = await put(newName());
    expect(claimsOf(await exchange(second, token))['sub']).toBe(first['sub']);
    const elsewhere = await put(newName(), {}, foreign);
    const there = claimsOf(await exchange(elsewhere, token));
    expect(there['account_id']).toBe(foreign.account_id);
    expect(there['sub']).not.toBe(first['sub']);
    const { rows } = await db.query('SELECT s::text AS text FROM sso_subjects s');
    for (const { text } of rows) expect(text).not.toContain(sub);
  });

  it('creates one person for fifty concurrent exchanges', async () => {
    for (let round = 0; round < 2; round += 1) {
      const token = accessToken(idp);
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => exchange(provider, token)),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(new Set(answers.map((answer) => claimsOf(answer)['sub'])).size).toBe(1);
    }
  });

  it('opens a session that ends with the token, after an hour at most', async () => {
    const at = Math.floor(Date.now() / 1000);
    const soon = await exchange(provider, accessToken(idp, { exp: at + 30 }));
    expect(claimsOf(soon)['exp']).toBe(at + 30);
    const late = claimsOf(
      await exchange(provider, accessToken(idp, { iat: at - 90, exp: at + 86_400 })),
    );
    expect(Number(late['exp']) - Number(late['iat'])).toBe(3600);
    expect(late['auth_time']).toBe(at - 90);
  });

  it('opens a session limited to its account, whatever else the person belongs to', async () => {
    const answer = await exchange(provider, accessToken(idp));
    const { sub } = claimsOf(answer);
    await db.query(
      `INSERT INTO memberships (poly_user_id, account_id, roles, created_at)
       VALUES ($1, $2, '{ADMIN}', now())`,
      [sub, foreign.account_id],
    );
    const token = String(answer.body['session_token']);
    const to = (account_id: number): Promise<Answer> =>
      call('POST', '/v2/session/switch_account', { token, body: { account_id } });
    expect(outcome(await to(foreign.account_id))).toEqual([401, 'membership_required']);
    const same = await to(account.account_id);
    expect(same.status).toBe(200);
    expect(claimsOf(same)).toMatchObject({ idp: provider, account_id: account.account_id });
  });

  it('gets the same refusal for every fault', async () => {
    const off = await put(newName(), { enabled: false });
    const gone = await put(newName());
    const path = `/v2/accounts/${account.account_id}/sso-providers/${gone}`;
    expect((await call('DELETE', path, { token: account.api_key })).status).toBe(200);
    const closed = await newAccount(`exchange-closed-${mark}`);
    const shut = await put(newName(), {}, closed);
    await db.query('UPDATE accounts SET disabled_at = now() WHERE account_id = $1', [
      closed.account_id,
    ]);
    const asked = idp.issuer.requests.length;
    const refused = [
      await exchange('no-such-provider', accessToken(idp)),
      await exchange(`${provider}' --`, accessToken(idp)),
      await exchange(off, accessToken(idp)),
      await exchange(gone, accessToken(idp)),
      await exchange(shut, accessToken(idp)),
      await exchange(provider, 'opaque'),
      await exchange(provider, accessToken(idp, { exp: 1 })),
      await exchange(provider, accessToken(idp, { client_id: 'another' })),
      await exchange(provider, accessToken(idp, { groups: [] })),
      await exchange(provider, accessToken(idp, { groups: ['nobody'] })),
      await exchange(provider, account.member.session_token),
      await exchange(provider, 'x'.repeat(100_000)),
    ];
    const shown = ({ status, headers, body }: Answer): unknown => [
      status,
      headers.get('www-authenticate'),
      { ...body, request_id: '', instance: '' },
    ];
    expect(new Set(refused.map((answer) => JSON.stringify(shown(answer)))).size).toBe(1);
    expect(outcome(refused[0] as Answer)).toEqual([401, 'credential_invalid']);
    expect(refused[0]?.headers.get('www-authenticate')).toBe('Bearer');
    expect(idp.issuer.requests.length).toBe(asked);
  });

  it('gets 503, not a refusal, while its issuer is unavailable', async () => {
    const other = await startKeyedIssuer();
    try {
      const name = await put(newName(), { issuer: other.issuer.issuer });
      other.issuer.failNext({ status: 503, headers: { 'Retry-After': '7' } });
      const away = await exchange(name, accessToken(other));
      expect(outcome(away)).toEqual([503, 'dependency_unavailable']);
      expect(away.headers.get('retry-after')).toBe('7');
      // The issuer is not called for a while: further exchanges fail at once.
      const next = await exchange(name, accessToken(other));
      expect(outcome(next)).toEqual([503, 'dependency_unavailable']);
      expect(Number(next.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(other.issuer.requests.length).toBe(1);
    } finally {
      await other.issuer.stop();
    }
  });

  it('may be opaque if its issuer supports introspection', async () => {
    const secret = { client_secret: ssoClient.clientSecret };
    const name = await put(newName(), { kind: 'introspection', ...secret });
    const told = { sub: newSubject(), client_id: ssoClient.clientId, groups: ['readers'] };
    idp.issuer.tokens.set('an-opaque-token', told);
    expect(claimsOf(await exchange(name, 'an-opaque-token'))['roles']).toEqual(['VIEWER']);
    expect((await exchange(name, 'another-token')).status).toBe(401);
  });

  it('of the platform’s own provider is accepted under the name `native`', async () => {
    const body = { kind: 'jwt', issuer: idp.issuer.issuer, client_id: ssoClient.clientId };
    const path = `/v2/accounts/${account.account_id}/sso-providers/native`;
    const low = { ...body, group_roles: { staff: 'MEMBER' } };
    const refused = await call('PUT', path, { token: account.api_key, body: low });
    expect(outcome(refused)).toEqual([403, 'role_required']);
    // The name is unique on the platform; no other test uses it.
    expect((await call('PUT', path, { token: polyadmin, body: low })).status).toBe(201);
    expect((await exchange('native', accessToken(idp))).status).toBe(200);
    const kept = await call('DELETE', path, { token: account.api_key });
    expect(outcome(kept)).toEqual([403, 'role_required']);
    expect((await call('DELETE', path, { token: polyadmin })).status).toBe(200);
  });
});
