import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import type { SsoProviderRow } from '../../../db/queries/sso-providers.ts';
import type { Members } from '../../support/keys/bundles.ts';
import { accessToken, ssoClient } from '../../support/people/sso.ts';
import { newSigningKey, type SigningKey } from '../../support/stand-ins/oauth/issuer.ts';
import { faultOf, judging } from './judging.ts';

const { idp, judge } = judging();

describe('a signed access token', () => {
  it.each(['RS256', 'PS256', 'ES256'] as const)('is accepted with %s', async (alg) => {
    const key = newSigningKey(alg, `a-${alg}`);
    idp().issuer.keys = [idp().key, key];
    const claims = { sub: 'somebody', auth_time: 1_700_000_000, exp: 2_000_000_000 };
    const judged = await judge(accessToken({ issuer: idp().issuer, key }, claims));
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
    ['the marks of its issuer', {}, { token_use: 'access', typ: 'Bearer' }, {}],
    ['the marks of other issuers', {}, { token_use: 'access_token' }, {}],
    ['a nonce besides its type', {}, { nonce: 'n' }, {}],
    [
      'a nonce besides the type among its claims',
      typed,
      { aud: typed.audience, nonce: 'n', typ: 'Bearer' },
      { typ: 'JWT' },
    ],
    ['a thumbprint in its header', {}, {}, { x5t: 'AAAA', 'x5t#S256': 'BBBB', x5c: ['CCCC'] }],
    ['unknown claims', {}, { ver: '2.0', scp: 'a b', roles: [] }, {}],
    ['a start a moment ahead', {}, { nbf: Math.floor(Date.now() / 1000) + 30 }, {}],
  ])('is accepted with %s', async (_what, row, claims, header) => {
    const token = accessToken(idp(), claims, header);
    expect((await judge(token, row)).roles).toEqual(['MEMBER']);
  });

  it.each(['RS256', 'PS256', 'ES256'] as const)(
    'is accepted when another library signs it: %s',
    async (alg) => {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
      const key = newSigningKey('ES256', `another-${alg}`);
      const jwk = { ...(await exportJWK(publicKey)), kid: key.kid, alg };
      idp().issuer.keys = [{ ...key, jwk }];
      const token = await new SignJWT({ client_id: ssoClient.clientId, groups: ['admins'] })
        .setProtectedHeader({ alg, typ: 'at+jwt', kid: key.kid })
        .setIssuer(idp().issuer.issuer)
        .setAudience(['https://b.example.test', ssoClient.clientId])
        .setSubject('somebody')
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey);
      expect((await judge(token)).roles).toEqual(['ADMIN']);
      await expect(async () => judge(`${token.slice(0, -8)}AAAAAAAA`)).rejects.toMatchObject({
        rule: expect.stringMatching(/^(?:signature|form)$/),
      });
    },
  );

  it.each<[string, SigningKey['alg'], () => KeyPairKeyObjectResult]>([
    ['RSA of 1024 bits', 'RS256', () => generateKeyPairSync('rsa', { modulusLength: 1024 })],
    ['P-384', 'ES256', () => generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['secp256k1', 'ES256', () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' })],
  ])('is rejected when its published key is of %s', async (what, alg, make) => {
    const { privateKey, publicKey } = make();
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: what };
    const key: SigningKey = { kid: what, alg, privateKey, jwk };
    idp().issuer.keys = [idp().key, key];
    expect(await faultOf(judge(accessToken({ issuer: idp().issuer, key })))).toBe('kid');
  });

  it.each([
    ['a modulus of 8192 bits', { n: Buffer.alloc(1024, 0xff).toString('base64url') }],
    ['an exponent of 40 bits', { e: Buffer.from('8000000001', 'hex').toString('base64url') }],
  ])('is rejected when its key is slow to verify with: %s', async (_what, parts) => {
    const key = newSigningKey('RS256', 'long');
    idp().issuer.keys = [{ ...key, jwk: { ...key.jwk, ...parts } }];
    expect(await faultOf(judge(accessToken({ issuer: idp().issuer, key })))).toBe('kid');
  });

  it.each([
    [2, null],
    [3, 'signature'],
  ])(
    'is tried with three keys of one id: behind %i others the fault is %s',
    async (others, fault) => {
      const key = newSigningKey('RS256', 'one-of-many');
      const before = Array.from({ length: others }, () => newSigningKey('RS256', 'one-of-many'));
      idp().issuer.keys = [...before, key];
      const judged = judge(accessToken({ issuer: idp().issuer, key }));
      expect(fault === null ? (await judged).roles : await faultOf(judged)).toEqual(
        fault ?? ['MEMBER'],
      );
    },
  );

  it('is accepted with and without a client secret that it does not need', async () => {
    expect((await judge(accessToken(idp()), {}, null)).roles).toEqual(['MEMBER']);
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
    const judged = await judge(accessToken(idp(), { groups }), { group_roles: groupRoles, ...row });
    expect(judged.roles).toEqual(roles);
  });

  it.each<[string, Members, readonly string[]]>([
    ['realm_access.roles', { realm_access: { roles: ['staff'] } }, ['MEMBER']],
    ['https://example.test/groups', { 'https://example.test/groups': ['admins'] }, ['ADMIN']],
    ['a.b', { 'a.b': ['staff'], a: { b: ['admins'] } }, ['MEMBER']],
    ['a.b', { a: [{ b: ['staff'] }] }, []],
    ['__proto__.x', {}, []],
    ['constructor.name', {}, []],
  ])('are read from %s', async (group_claim, claims, roles) => {
    expect((await judge(accessToken(idp(), claims), { group_claim })).roles).toEqual(roles);
  });

  it('are unknown when the issuer left the groups out', async () => {
    const elsewhere = { groups: undefined, _claim_names: { groups: 'src1' } };
    expect(await faultOf(judge(accessToken(idp(), elsewhere)))).toBe('groups');
    expect(await faultOf(judge(accessToken(idp(), { hasgroups: true })))).toBe('groups');
  });
});

describe('the email address of a token', () => {
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
  ])('is accepted only if verified and in a listed domain: %j', async (claims, expected) => {
    const { address } = await judge(accessToken(idp(), claims), row);
    expect(address?.comparable ?? null).toBe(expected);
  });

  it('is ignored when the provider lists no domain', async () => {
    const claims = { email: 'anna@example.test', email_verified: true };
    expect((await judge(accessToken(idp(), claims))).address).toBeNull();
  });
});
