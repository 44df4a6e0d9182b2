import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { findSsoProvider, ssoSecretContext } from '../../../db/queries/sso-providers.ts';
import { accountOwner } from '../../../db/sealing/sealed.ts';
import type { Role } from '../../../domain/names.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import { newCertUser } from '../../support/people/cert-users.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
const mark = `${process.pid}-${Date.now()}`;
let account: Seed;
let at: string;
beforeAll(async () => {
  account = await newAccount(`sso-${mark}`);
  at = `/v2/accounts/${account.account_id}/sso-providers`;
});
afterAll(() => db.end());

let last = 0;
const newName = (): string => `sso-${mark}-${(last += 1)}`;
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const put = (name: string, body: unknown, token = account.api_key): Promise<Answer> =>
  call('PUT', `${at}/${name}`, { token, body });
const remove = (name: string, token = account.api_key): Promise<Answer> =>
  call('DELETE', `${at}/${name}`, { token });
const given = {
  kind: 'introspection',
  issuer: 'https://login.example.test/realms/one',
  client_id: 'trustcheck',
  client_secret: 'a-secret-of-the-provider',
  group_roles: { 'trust-admins': 'ADMIN', 'Support – Ünï': 'VIEWER' },
  role_ceiling: 'ADMIN',
};
async function secretOf(name: string): Promise<string | null> {
  const row = await findSsoProvider(db, name);
  if (!row?.client_secret_sealed) return null;
  const owner = accountOwner(row.account_id);
  const opened = await ownSealer(db).open(owner, ssoSecretContext(name), row.client_secret_sealed);
  return opened.toString();
}

describe('an SSO provider', () => {
  it('can be put, listed and removed, and is found by its name', async () => {
    const name = newName();
    const made = await put(name, given);
    const { client_secret, ...shown } = given;
    expect([made.status, made.body]).toEqual([
      201,
      {
        ...shown,
        provider: name,
        account_id: account.account_id,
        has_client_secret: true,
        enabled: true,
        audience: null,
        client_ids: [],
        token_type: 'at+jwt',
        email_domains: [],
        group_claim: 'groups',
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    const listed = await call('GET', at, { token: account.api_key });
    expect(listed.body['items']).toContainEqual(made.body);
    expect(listed.text).not.toContain(client_secret);
    expect(await secretOf(name)).toBe(client_secret);
    const { rows } = await db.query(
      `SELECT p::text AS text FROM sso_providers p WHERE provider = $1
       UNION ALL SELECT r::text FROM audit_rows r WHERE object_id = $1`,
      [name],
    );
    expect(rows.length).toBe(2);
    for (const { text } of rows) expect(text).not.toContain(client_secret);
    expect((await remove(name)).body).toEqual({ provider: name, deleted: true });
    expect(outcome(await remove(name))).toEqual([404, 'not_found']);
    expect(await findSsoProvider(db, name)).toBeNull();
    const told = (await audited(account)).filter(({ object_id }) => object_id === name);
    expect(told.map(({ action, details }) => [action, Object.keys(details).toSorted()])).toEqual([
      ['sso_provider.removed', ['from']],
      ['sso_provider.put', ['secret_replaced', 'to']],
    ]);
  });

  it('that needs a client secret cannot be put without one', async () => {
    const name = newName();
    const { client_secret: _secret, ...rest } = given;
    const refused = await put(name, rest);
    expect([refused.status, refused.body['detail']]).toMatchObject([
      422,
      [{ loc: ['body', 'client_secret'] }],
    ]);
    expect((await put(name, given)).status).toBe(201);
    expect((await put(name, rest)).status).toBe(200);
    expect((await put(name, { ...rest, client_id: 'another' })).status).toBe(422);
    expect(await secretOf(name)).toBe(given.client_secret);
  });

  it('keeps its secret only for the same issuer, client and kind', async () => {
    const name = newName();
    const mayAsk = { ...given, kind: 'userinfo' };
    const made = await put(name, mayAsk);
    const { client_secret: secret, ...rest } = mayAsk;
    const written = await put(name, { ...rest, group_roles: {}, role_ceiling: 'VIEWER' });
    // Created is 201, replaced is 200.
    expect([made.status, written.status]).toEqual([201, 200]);
    expect(written.body).toMatchObject({
      has_client_secret: true,
      group_roles: {},
      role_ceiling: 'VIEWER',
      created_at: made.body['created_at'],
    });
    expect(await secretOf(name)).toBe(secret);
    for (const turned of [
      { ...rest, issuer: 'https://login.attacker.test' },
      { ...rest, client_id: 'another' },
      { ...rest, kind: 'jwt' },
    ]) {
      expect((await put(name, mayAsk)).body['has_client_secret']).toBe(true);
      expect((await put(name, turned)).body['has_client_secret']).toBe(false);
      expect(await secretOf(name)).toBeNull();
    }
    const [row] = (await audited(account)).filter(({ object_id }) => object_id === name);
    expect(row?.details).toEqual({
      from: { kind: 'userinfo' },
      to: { kind: 'jwt' },
      secret_replaced: false,
    });
  });

  it('put again unchanged writes no audit row', async () => {
    const name = newName();
    const { client_secret: _secret, ...rest } = { ...given, kind: 'jwt' };
    await put(name, rest);
    await put(name, rest);
    const told = (await audited(account)).filter(({ object_id }) => object_id === name);
    expect(told.length).toBe(1);
  });

  it('has a name that is unique on the platform', async () => {
    const name = newName();
    await put(name, given);
    const there = `/v2/accounts/${foreign.account_id}/sso-providers/${name}`;
    const token = foreign.api_key;
    const taken = await call('PUT', there, { token, body: given });
    expect(outcome(taken)).toEqual([409, 'provider_taken']);
    expect(outcome(await call('DELETE', there, { token }))).toEqual([404, 'not_found']);
    expect((await findSsoProvider(db, name))?.account_id).toBe(account.account_id);
    await remove(name);
    expect((await call('PUT', there, { token, body: given })).status).toBe(201);
    expect((await call('DELETE', there, { token })).status).toBe(200);
  });

  it('belongs to one account when two put its name concurrently', async () => {
    const rival = await newAccount(`sso-rival-${mark}`);
    const name = newName();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, place) => {
        const { account_id, api_key: token } = place % 2 === 0 ? account : rival;
        const path = `/v2/accounts/${account_id}/sso-providers/${name}`;
        return call('PUT', path, { token, body: given });
      }),
    );
    const owners = answers.flatMap(({ status, body }) =>
      status < 300 ? [body['account_id']] : [],
    );
    expect([owners.length, new Set(owners).size]).toEqual([25, 1]);
    expect(answers.filter(({ status }) => status === 201).length).toBe(1);
    const refused = answers.filter(({ status }) => status >= 300).map(outcome);
    expect(refused).toEqual(Array.from({ length: 25 }, () => [409, 'provider_taken']));
  });

  it('is not found after its account was closed', async () => {
    const closed = await newAccount(`sso-closed-${mark}`);
    const name = newName();
    const path = `/v2/accounts/${closed.account_id}/sso-providers/${name}`;
    await call('PUT', path, { token: closed.api_key, body: given });
    expect(await findSsoProvider(db, name)).not.toBeNull();
    await db.query('UPDATE accounts SET disabled_at = now() WHERE account_id = $1', [
      closed.account_id,
    ]);
    expect(await findSsoProvider(db, name)).toBeNull();
  });

  it.each([
    [{}],
    [{ ...given, kind: 'saml' }],
    [{ ...given, issuer: 'http://login.example.test' }],
    [{ ...given, issuer: 'https://u:p@login.example.test' }],
    [{ ...given, issuer: 'file:///etc/passwd' }],
    [{ ...given, client_id: '' }],
    [{ ...given, client_id: 'a b' }],
    [{ ...given, client_secret: 'x'.repeat(1025) }],
    [{ ...given, group_claim: '' }],
    [{ ...given, group_roles: { a: 'OWNER' } }],
    [{ ...given, group_roles: { '': 'VIEWER' } }],
    [{ ...given, group_roles: ['ADMIN'] }],
    [
      {
        ...given,
        group_roles: Object.fromEntries(Array.from({ length: 201 }, (_, n) => [n, 'VIEWER'])),
      },
    ],
    [{ ...given, role_ceiling: 'VIEWER' }],
    [{ ...given, group_roles: { all: 'POLYADMIN' } }],
    [{ ...given, issuer: 'https://login.example.test/#fragment' }],
    [{ ...given, enabled: 'yes' }],
    [{ ...given, client_ids: ['a b'] }],
    [{ ...given, client_ids: Array.from({ length: 21 }, (_, n) => `c${n}`) }],
    [{ ...given, token_type: 'id+jwt' }],
    [{ ...given, token_type: 'JWT' }],
    [{ ...given, token_type: 'JWT', audience: 'trustcheck' }],
    [{ ...given, token_type: 'JWT', audience: 'spa', client_ids: ['spa'] }],
    [{ ...given, email_domains: ['example'] }],
    [{ ...given, email_domains: ['a@example.test'] }],
    [{ ...given, email_domains: ['*.example.test'] }],
    [{ ...given, email_domains: ['127.0.0.1'] }],
    [{ ...given, email_domains: ['example.test', 7] }],
  ])('is not created from %j', async (body) => {
    expect((await put(newName(), body)).status).toBe(422);
  });

  it.each(['A', 'a', 'a_b', '-a', 'a'.repeat(64)])('cannot be named %s', async (name) => {
    expect((await put(name, given)).status).toBe(422);
  });
});

describe('email_domains of a provider', () => {
  it('are set only by a POLYADMIN, removed by any ADMIN, and lost with the issuer', async () => {
    const polyadmin = (await newCertUser(db, account.account_id, ['POLYADMIN'])).token;
    const name = newName();
    const believed = { ...given, email_domains: ['Example.TEST', 'a.example.test'] };
    expect(outcome(await put(name, believed))).toEqual([403, 'role_required']);
    const made = await put(name, believed, polyadmin);
    expect(made.body['email_domains']).toEqual(['example.test', 'a.example.test']);
    const fewer = { ...given, email_domains: ['a.example.test'], group_claim: 'roles' };
    const changed = await put(name, fewer);
    expect([changed.body['email_domains'], changed.body['group_claim']]).toEqual([
      ['a.example.test'],
      'roles',
    ]);
    for (const refused of [
      believed,
      { ...fewer, issuer: 'https://login.attacker.test' },
      { ...fewer, email_domains: ['a.example.test', 'b.example.test'] },
      { ...fewer, kind: given.kind === 'jwt' ? 'userinfo' : 'jwt' },
      { ...fewer, client_id: 'another' },
      { ...fewer, client_ids: ['spa'] },
      { ...fewer, audience: 'another' },
      { ...fewer, audience: 'another', token_type: 'JWT' },
    ]) {
      expect(outcome(await put(name, refused))).toEqual([403, 'role_required']);
    }
    const turned = { ...given, issuer: 'https://login.attacker.test' };
    expect((await put(name, turned)).body['email_domains']).toEqual([]);
    expect(outcome(await put(name, fewer))).toEqual([403, 'role_required']);
  });
});

describe('role_ceiling of a provider', () => {
  it('can be POLYADMIN only by a POLYADMIN, who alone can change it then', async () => {
    const of = async (role: Role): Promise<string> =>
      (await newCertUser(db, account.account_id, [role])).token;
    const [admin, polyadmin] = [await of('ADMIN'), await of('POLYADMIN')];
    const name = newName();
    const high = { ...given, role_ceiling: 'POLYADMIN', group_roles: { operators: 'POLYADMIN' } };
    for (const token of [admin, account.api_key]) {
      expect(outcome(await put(name, high, token))).toEqual([403, 'role_required']);
    }
    expect(await findSsoProvider(db, name)).toBeNull();
    expect((await put(name, high, polyadmin)).body['role_ceiling']).toBe('POLYADMIN');
    for (const token of [admin, account.api_key]) {
      const turned = { ...given, issuer: 'https://login.attacker.test' };
      expect(outcome(await put(name, turned, token))).toEqual([403, 'role_required']);
      expect(outcome(await remove(name, token))).toEqual([403, 'role_required']);
    }
    expect((await findSsoProvider(db, name))?.issuer).toBe(given.issuer);
    expect((await remove(name, polyadmin)).status).toBe(200);
  });

  it('is MEMBER by default', async () => {
    const { role_ceiling: _ceiling, ...rest } = given;
    expect((await put(newName(), rest)).status).toBe(422);
    const low = { ...rest, group_roles: { all: 'MEMBER' } };
    expect((await put(newName(), low)).body['role_ceiling']).toBe('MEMBER');
  });
});
