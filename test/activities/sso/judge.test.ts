import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createIssuers, type Issuers } from '../../../activities/sso/issuers.ts';
import { judgeAccessToken, type JudgedToken } from '../../../activities/sso/judge.ts';
import { AccessTokenRefused } from '../../../activities/sso/token-refused.ts';
import type { SsoProviderRow } from '../../../db/queries/sso-providers.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Members } from '../../bundles.ts';
import {
  accessClaims,
  accessToken,
  providerRow,
  ssoClient,
  startKeyedIssuer,
  type KeyedIssuer,
} from '../../sso.ts';
import { newSigningKey } from '../../stand-ins/issuer.ts';

let one: KeyedIssuer;
let issuers: Issuers;
const usualMetadata = {};
beforeAll(async () => {
  one = await startKeyedIssuer();
});
beforeEach(() => {
  one.issuer.metadata = usualMetadata;
  one.issuer.keys = [one.key];
  issuers = createIssuers({ allowPrivate: true, clock: () => new Date() });
});
afterAll(async () => {
  expect(one.issuer.faults).toEqual([]);
  await one.issuer.stop();
});

const judge = (
  token: string,
  changes: Partial<SsoProviderRow> = {},
  clientSecret: string | null = ssoClient.clientSecret,
): Promise<JudgedToken> => {
  const row = providerRow(one.issuer.issuer, changes);
  return judgeAccessToken(issuers, { row, clientSecret }, token, new Date());
};
/** The rule that was broken, or the failure. */
const faultOf = async (judging: Promise<unknown>): Promise<string> => {
  const error: unknown = await judging.then(
    () => 'nothing',
    (reason: unknown) => reason,
  );
  if (error instanceof AccessTokenRefused) return error.rule;
  return error instanceof Failure ? error.code : String(error);
};

describe('an access token that is signed', () => {
  it.each(['RS256', 'PS256', 'ES256'] as const)('is good with %s', async (alg) => {
    const key = newSigningKey(alg, `a-${alg}`);
    one.issuer.keys = [one.key, key];
    const claims = { sub: 'somebody', auth_time: 1_700_000_000, exp: 2_000_000_000 };
    const judged = await judge(accessToken({ issuer: one.issuer, key }, claims));
    expect(judged).toEqual({
      subject: 'somebody',
      roles: ['MEMBER'],
      address: null,
      authTime: new Date(1_700_000_000_000),
      expiresAt: new Date(2_000_000_000_000),
    });
  });

  const typed = { token_type: 'JWT', audience: 'https://api.example.test' } as const;
  it.each<[string, Partial<SsoProviderRow>, Members, Members]>([
    ['a list of audiences', {}, { aud: ['https://b.example.test', ssoClient.clientId] }, {}],
    ['an audience of its own', { audience: 'api' }, { aud: 'api' }, {}],
    ['its client as azp', {}, { client_id: undefined, azp: ssoClient.clientId }, {}],
    ['its client as cid', {}, { client_id: undefined, cid: ssoClient.clientId }, {}],
    ['its client as appid', {}, { client_id: undefined, appid: ssoClient.clientId }, {}],
    ['a client that is named', { client_ids: ['spa', 'cli'] }, { client_id: 'cli' }, {}],
    ['the long name of its type', {}, {}, { typ: 'application/AT+JWT' }],
    ['a plain type', typed, { aud: typed.audience }, { typ: 'JWT' }],
    ['no type', typed, { aud: typed.audience }, { typ: undefined }],
    ['a proper type where a plain one would do', typed, { aud: typed.audience }, {}],
    ['what its issuer marks it with', {}, { token_use: 'access', typ: 'Bearer' }, {}],
    ['a thumbprint in its header', {}, {}, { x5t: 'AAAA', 'x5t#S256': 'BBBB', x5c: ['CCCC'] }],
    ['claims nobody knows', {}, { ver: '2.0', scp: 'a b', roles: [] }, {}],
    ['a beginning a moment ahead', {}, { nbf: Math.floor(Date.now() / 1000) + 30 }, {}],
  ])('is good with %s', async (_what, row, claims, header) => {
    const token = accessToken(one, claims, header);
    expect((await judge(token, row)).roles).toEqual(['MEMBER']);
  });

  it('is good with a secret that is not needed, and without', async () => {
    expect((await judge(accessToken(one), {}, null)).roles).toEqual(['MEMBER']);
  });
});

describe('the roles of groups', () => {
  const groupRoles = { a: 'VIEWER', b: 'REVIEWER', c: 'ADMIN', d: 'POLYADMIN' } as const;
  it.each<[unknown, Partial<SsoProviderRow>, readonly string[]]>([
    [['b', 'a', 'x', 'a'], {}, ['VIEWER', 'REVIEWER']],
    ['c', {}, ['ADMIN']],
    [['d', 'c'], {}, ['ADMIN']],
    [['d'], { role_ceiling: 'POLYADMIN' }, ['POLYADMIN']],
    [['b', 'c', 'a'], { role_ceiling: 'MEMBER' }, ['VIEWER']],
    [[], {}, []],
    [undefined, {}, []],
    [null, {}, []],
    [{ a: true }, {}, []],
    [[['a']], {}, []],
    [['__proto__', 'constructor', 'toString', 'A', ' a'], {}, []],
    [7, {}, []],
  ])('%j', async (groups, row, roles) => {
    const judged = await judge(accessToken(one, { groups }), { group_roles: groupRoles, ...row });
    expect(judged.roles).toEqual(roles);
  });

  it.each<[string, Members, readonly string[]]>([
    ['realm_access.roles', { realm_access: { roles: ['staff'] } }, ['MEMBER']],
    ['https://example.test/groups', { 'https://example.test/groups': ['admins'] }, ['ADMIN']],
    ['a.b', { 'a.b': ['staff'], a: { b: ['admins'] } }, ['MEMBER']],
    ['a.b', { a: [{ b: ['staff'] }] }, []],
    ['__proto__.x', {}, []],
    ['constructor.name', {}, []],
  ])('lie under %s', async (group_claim, claims, roles) => {
    expect((await judge(accessToken(one, claims), { group_claim })).roles).toEqual(roles);
  });

  it('are unknown where the issuer has left them out', async () => {
    const elsewhere = { groups: undefined, _claim_names: { groups: 'src1' } };
    expect(await faultOf(judge(accessToken(one, elsewhere)))).toBe('groups');
    expect(await faultOf(judge(accessToken(one, { hasgroups: true })))).toBe('groups');
  });
});

describe('an address', () => {
  const row = { email_domains: ['example.test', 'xn--bcher-kva.test'] };
  it.each<[Members, string | null]>([
    [{ email: ' Anna@EXAMPLE.test. ', email_verified: true }, 'anna@example.test'],
    [{ email: 'anna@bücher.test', email_verified: true }, 'anna@xn--bcher-kva.test'],
    [{ email: 'anna@example.test', email_verified: 'true' }, null],
    [{ email: 'anna@example.test', email_verified: 1 }, null],
    [{ email: 'anna@example.test' }, null],
    [{ email: 'anna@sub.example.test', email_verified: true }, null],
    [{ email: 'anna@example.test.attacker.test', email_verified: true }, null],
    [{ email: 'anna@attacker.test, b@example.test', email_verified: true }, null],
    [{ email: 'anna@attacker.test\r\n@example.test', email_verified: true }, null],
    [{ email: ['anna@example.test'], email_verified: true }, null],
    [{ preferred_username: 'anna@example.test', email_verified: true }, null],
  ])('is believed as the row says: %j', async (claims, expected) => {
    const { address } = await judge(accessToken(one, claims), row);
    expect(address?.comparable ?? null).toBe(expected);
  });

  it('is believed of no issuer nobody has vouched for', async () => {
    const claims = { email: 'anna@example.test', email_verified: true };
    expect((await judge(accessToken(one, claims))).address).toBeNull();
  });
});

describe('an opaque token', () => {
  let last = 0;
  /** A token of which the issuer says this. */
  const opaque = (told: Members = {}): string => {
    const token = `opaque-${(last += 1)}._~+/==`;
    const { jti: _jti, ...claims } = accessClaims(one.issuer.issuer, told);
    one.issuer.tokens.set(token, claims);
    return token;
  };
  const row = { kind: 'introspection' } as const;

  it('is judged by asking its issuer, in our name', async () => {
    const judged = await judge(opaque({ sub: 'somebody', token_type: 'Bearer' }), row);
    expect([judged.subject, judged.roles]).toEqual(['somebody', ['MEMBER']]);
    const bare = { iss: undefined, aud: undefined, iat: undefined, exp: undefined };
    const { expiresAt, authTime } = await judge(opaque(bare), row);
    expect([expiresAt, Date.now() - authTime.getTime() < 5_000]).toEqual([null, true]);
  });

  it('may be a JWT, of which the issuer’s word counts alone', async () => {
    const token = accessToken(one, { groups: ['admins'] });
    expect(await faultOf(judge(token, row))).toBe('active');
    one.issuer.tokens.set(token, accessClaims(one.issuer.issuer));
    expect((await judge(token, row)).roles).toEqual(['MEMBER']);
  });

  const past = Math.floor(Date.now() / 1000) - 1;
  it.each<[string, Members, Partial<SsoProviderRow>]>([
    ['active', { active: false }, {}],
    ['issuer', { iss: 'https://login.example.test' }, {}],
    ['audience', { aud: 'another' }, {}],
    ['audience', { aud: [] }, {}],
    ['audience', { aud: undefined }, { audience: 'api' }],
    ['client', { client_id: 'another' }, {}],
    ['client', { client_id: undefined }, {}],
    ['client', { azp: 'another' }, {}],
    ['client', {}, { client_ids: ['spa'] }],
    ['use', { token_type: 'refresh_token' }, {}],
    ['use', { token_type: 'DPoP' }, {}],
    ['use', { typ: 'Refresh' }, {}],
    ['use', { cnf: { jkt: 'x' } }, {}],
    ['lifetime', { exp: past }, {}],
    ['lifetime', { exp: '2000000000' }, {}],
    ['lifetime', { nbf: past + 600 }, {}],
    ['subject', { sub: undefined }, {}],
    ['subject', { sub: 7 }, {}],
  ])('is refused for its %s: %j', async (rule, told, more) => {
    expect(await faultOf(judge(opaque(told), { ...row, ...more }))).toBe(rule);
  });

  it('that nobody could have given out is asked of nobody', async () => {
    const before = one.issuer.requests.length;
    for (const token of ['a b', 'a\r\nX: y', 'é', '', '==', 'a"b', 'x'.repeat(16_385)]) {
      expect(await faultOf(judge(token, row))).toMatch(/^(?:form|size)$/);
    }
    expect(one.issuer.requests.length).toBe(before);
  });

  it.each<[string, () => void, string | null]>([
    ['without a secret', () => undefined, null],
    ['with a wrong secret', () => undefined, 'wrong'],
    ['that has no introspection', () => setMetadata({ introspection_endpoint: undefined }), 'x'],
    [
      'that takes no secret',
      () => setMetadata({ token_endpoint_auth_methods_supported: ['private_key_jwt'] }),
      'x',
    ],
  ])('of an issuer %s is not judged at all', async (_what, change, secret) => {
    change();
    expect(await faultOf(judge(opaque(), row, secret))).toBe('dependency_unavailable');
  });

  it.each([
    ['a fault', { status: 503 }],
    ['a refusal', { status: 403, body: { error: 'access_denied' } }],
    ['no answer', { status: 200, body: {} }],
    ['a word for a truth', { status: 200, body: { active: 'true', sub: 'x' } }],
    ['a redirect', { status: 307, headers: { Location: '/userinfo' } }],
    ['a signed answer', { status: 200, headers: { 'Content-Type': 'application/jwt' }, body: '' }],
    ['a broken connection', 'reset'],
  ] as const)('is not judged by %s', async (_what, broken) => {
    await issuers.metadataOf(one.issuer.issuer);
    one.issuer.failNext(broken);
    expect(await faultOf(judge(opaque(), row))).toBe('dependency_unavailable');
  });

  describe('with userinfo', () => {
    const kind = { kind: 'userinfo' } as const;

    it('has groups and address of its subject from there', async () => {
      const sub = 'somebody';
      for (const token of [opaque({ sub, groups: [] }), accessToken(one, { sub })]) {
        const email = { email: 'anna@example.test', email_verified: true };
        one.issuer.people.set(token, { sub, groups: ['admins'], ...email });
        const judged = await judge(token, { ...kind, email_domains: ['example.test'] });
        expect([judged.roles, judged.address?.deliverable]).toEqual([['ADMIN'], email.email]);
        one.issuer.people.set(token, { sub });
      }
    });

    it('keeps those of the token where userinfo says none', async () => {
      const token = accessToken(one, { sub: 'somebody' });
      one.issuer.people.set(token, { sub: 'somebody' });
      expect((await judge(token, kind)).roles).toEqual(['MEMBER']);
    });

    it('proves nothing by userinfo alone: any client’s token would do there', async () => {
      const stolen = 'token-of-another-client';
      one.issuer.people.set(stolen, { sub: 'somebody', groups: ['admins'] });
      expect(await faultOf(judge(stolen, kind))).toBe('active');
      one.issuer.tokens.set(stolen, accessClaims(one.issuer.issuer, { client_id: 'another' }));
      expect(await faultOf(judge(stolen, kind))).toBe('client');
      const signed = accessToken(one, { client_id: 'another' });
      one.issuer.people.set(signed, { sub: 'somebody', groups: ['admins'] });
      expect(await faultOf(judge(signed, kind))).toBe('client');
    });

    it('speaks of nobody else', async () => {
      const token = accessToken(one, { sub: 'somebody' });
      one.issuer.people.set(token, { sub: 'somebody-else', groups: ['admins'] });
      expect(await faultOf(judge(token, kind))).toBe('userinfo');
      one.issuer.people.delete(token);
      expect(await faultOf(judge(token, kind))).toBe('userinfo');
      one.issuer.people.set(token, { groups: ['admins'] });
      expect(await faultOf(judge(token, kind))).toBe('dependency_unavailable');
    });

    it.each([
      ['userinfo', { status: 401 }],
      ['userinfo', { status: 403, body: {} }],
      ['dependency_unavailable', { status: 500 }],
      ['dependency_unavailable', { status: 404 }],
      ['dependency_unavailable', { status: 302, headers: { Location: '/' } }],
      ['dependency_unavailable', 'reset'],
    ] as const)('is %s for %j of it', async (expected, broken) => {
      const token = accessToken(one);
      await issuers.keysOf(one.issuer.issuer, one.key.kid);
      one.issuer.failNext(broken);
      expect(await faultOf(judge(token, kind))).toBe(expected);
    });

    it('of an issuer that has none is not judged', async () => {
      setMetadata({ userinfo_endpoint: undefined });
      expect(await faultOf(judge(accessToken(one), kind))).toBe('dependency_unavailable');
    });
  });
});

function setMetadata(changes: Members): void {
  one.issuer.metadata = changes;
}
