import { describe, expect, it } from 'vitest';
import type { SsoProviderRow } from '../../../db/queries/sso-providers.ts';
import type { Members } from '../../support/keys/bundles.ts';
import { accessClaims, accessToken } from '../../support/people/sso.ts';
import { faultOf, judging } from './judging.ts';

const { idp, issuers, judge } = judging();

describe('an opaque token', () => {
  let last = 0;
  /** Creates a token for which the issuer returns these claims. */
  const opaque = (told: Members = {}): string => {
    const token = `opaque-${(last += 1)}._~+/==`;
    const { jti: _jti, ...claims } = accessClaims(idp().issuer.issuer, told);
    idp().issuer.tokens.set(token, claims);
    return token;
  };
  const row = { kind: 'introspection' } as const;

  it('is introspected at its issuer with our credentials', async () => {
    const judged = await judge(opaque({ sub: 'somebody', token_type: 'Bearer' }), row);
    expect([judged.subject, judged.roles]).toEqual(['somebody', ['MEMBER']]);
    const bare = { iss: undefined, aud: undefined, iat: undefined, exp: undefined };
    const { expiresAt, authTime } = await judge(opaque(bare), row);
    expect([expiresAt, Date.now() - authTime.getTime() < 5_000]).toEqual([null, true]);
  });

  it('can be a JWT, which only the introspection judges', async () => {
    const token = accessToken(idp(), { groups: ['admins'] });
    expect(await faultOf(judge(token, row))).toBe('active');
    idp().issuer.tokens.set(token, accessClaims(idp().issuer.issuer));
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

  it('is not sent to the issuer when no issuer could have issued it', async () => {
    const before = idp().issuer.requests.length;
    for (const token of ['a b', 'a\r\nX: y', 'é', '', '==', 'a"b', 'x'.repeat(16_385)]) {
      expect(await faultOf(judge(token, row))).toMatch(/^(?:form|size)$/);
    }
    expect(idp().issuer.requests.length).toBe(before);
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
  ])('of an issuer %s has no verdict', async (_what, change, secret) => {
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
  ] as const)('has no verdict after %s', async (_what, broken) => {
    await issuers().metadataOf(idp().issuer.issuer);
    idp().issuer.failNext(broken);
    expect(await faultOf(judge(opaque(), row))).toBe('dependency_unavailable');
  });

  describe('with userinfo', () => {
    const kind = { kind: 'userinfo' } as const;

    it('has groups and address from the userinfo of its subject', async () => {
      const sub = 'somebody';
      for (const token of [opaque({ sub, groups: [] }), accessToken(idp(), { sub })]) {
        const email = { email: 'anna@example.test', email_verified: true };
        idp().issuer.people.set(token, { sub, groups: ['admins'], ...email });
        const judged = await judge(token, { ...kind, email_domains: ['example.test'] });
        expect([judged.roles, judged.address?.deliverable]).toEqual([['ADMIN'], email.email]);
        idp().issuer.people.set(token, { sub });
      }
    });

    it('with two dots is distinguished from a JWT', async () => {
      const token = 'ya29.a0Af-H6S.mBy_z';
      idp().issuer.tokens.set(token, accessClaims(idp().issuer.issuer, { sub: 'somebody' }));
      idp().issuer.people.set(token, { sub: 'somebody' });
      expect((await judge(token, kind)).roles).toEqual(['MEMBER']);
    });

    it('keeps its own groups when userinfo has none', async () => {
      const token = accessToken(idp(), { sub: 'somebody' });
      idp().issuer.people.set(token, { sub: 'somebody' });
      expect((await judge(token, kind)).roles).toEqual(['MEMBER']);
    });

    it('has its address verified only by the document that contains it', async () => {
      const row = { ...kind, email_domains: ['example.test'] };
      const [email, other] = ['anna@example.test', 'bert@example.test'];
      const of = async (told: Members, more: Members): Promise<string | undefined> => {
        const token = accessToken(idp(), { sub: 'somebody', ...told });
        idp().issuer.people.set(token, { sub: 'somebody', ...more });
        return (await judge(token, row)).address?.deliverable;
      };
      expect(await of({ email, email_verified: true }, { email: other })).toBeUndefined();
      expect(await of({ email }, { email_verified: true })).toBeUndefined();
      expect(await of({ email, email_verified: true }, { email_verified: false })).toBe(email);
      expect(await of({ email }, { email: other, email_verified: true })).toBe(other);
    });

    it('has groups left out only by the document that contains them', async () => {
      const elsewhere = { groups: undefined, _claim_names: { groups: 'src1' } };
      const of = (told: Members, more: Members): Promise<string> => {
        const token = accessToken(idp(), { sub: 'somebody', ...told });
        idp().issuer.people.set(token, { sub: 'somebody', ...more });
        return faultOf(judge(token, kind));
      };
      expect(await of(elsewhere, { groups: ['admins'] })).toBe('nothing');
      expect(await of({}, elsewhere)).toBe('groups');
      expect(await of(elsewhere, {})).toBe('groups');
    });

    it('is refused when userinfo answers but the token is of another client', async () => {
      const stolen = 'token-of-another-client';
      idp().issuer.people.set(stolen, { sub: 'somebody', groups: ['admins'] });
      expect(await faultOf(judge(stolen, kind))).toBe('active');
      idp().issuer.tokens.set(stolen, accessClaims(idp().issuer.issuer, { client_id: 'another' }));
      expect(await faultOf(judge(stolen, kind))).toBe('client');
      const signed = accessToken(idp(), { client_id: 'another' });
      idp().issuer.people.set(signed, { sub: 'somebody', groups: ['admins'] });
      expect(await faultOf(judge(signed, kind))).toBe('client');
    });

    it('is refused with the userinfo of another subject', async () => {
      const token = accessToken(idp(), { sub: 'somebody' });
      idp().issuer.people.set(token, { sub: 'somebody-else', groups: ['admins'] });
      expect(await faultOf(judge(token, kind))).toBe('userinfo');
      idp().issuer.people.delete(token);
      expect(await faultOf(judge(token, kind))).toBe('userinfo');
      idp().issuer.people.set(token, { groups: ['admins'] });
      expect(await faultOf(judge(token, kind))).toBe('dependency_unavailable');
    });

    it.each([
      ['userinfo', { status: 401 }],
      ['userinfo', { status: 403, body: {} }],
      ['dependency_unavailable', { status: 500 }],
      ['dependency_unavailable', { status: 404 }],
      ['dependency_unavailable', { status: 302, headers: { Location: '/' } }],
      ['dependency_unavailable', 'reset'],
    ] as const)('has the fault %s after %j from userinfo', async (expected, broken) => {
      const token = accessToken(idp());
      await issuers().keysOf(idp().issuer.issuer, { alg: 'ES256', kid: idp().key.kid });
      idp().issuer.failNext(broken);
      expect(await faultOf(judge(token, kind))).toBe(expected);
    });

    it('of an issuer without userinfo has no verdict', async () => {
      setMetadata({ userinfo_endpoint: undefined });
      expect(await faultOf(judge(accessToken(idp()), kind))).toBe('dependency_unavailable');
    });
  });
});

function setMetadata(changes: Members): void {
  idp().issuer.metadata = changes;
}
