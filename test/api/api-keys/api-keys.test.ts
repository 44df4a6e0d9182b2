import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idOfKey } from '../../../api/http/idempotency.ts';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import { newCertUser } from '../../support/people/cert-users.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
let account: Seed;
let at: string;
beforeAll(async () => {
  account = await newAccount(`api-keys-${process.pid}-${Date.now()}`);
  at = `/v2/accounts/${account.account_id}/api-keys`;
});
afterAll(() => db.end());

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const create = (body: unknown, token = account.api_key, key?: string): Promise<Answer> =>
  call('POST', at, { token, body, headers: key === undefined ? {} : { 'idempotency-key': key } });
const inAnHour = (): string => new Date(Date.now() + 3600_000).toISOString();

describe('an API key', () => {
  it('is shown once, works only in its account, and ends when revoked', async () => {
    const expires_at = inAnHour();
    const given = { name: 'records', roles: ['MEMBER', 'VIEWER'], livemode: true, expires_at };
    const made = await create(given);
    expect(made.status).toBe(201);
    const { api_key, ...shown } = made.body;
    const key = String(api_key);
    expect(key).toMatch(/^tk_live_[0-9a-z]{12}_[0-9a-z]{32}$/);
    expect(shown).toEqual({
      ...given,
      key_id: key.slice(0, 20),
      account_id: account.account_id,
      roles: ['VIEWER', 'MEMBER'],
      created_at: expect.any(String),
      created_by: account.api_key.slice(0, 20),
      sso_provider: null,
      last_used_at: null,
      revoked_at: null,
      replaced_by: null,
      scopes: null,
      app_ids: null,
    });
    const own = `/v2/accounts/${account.account_id}`;
    expect((await call('GET', own, { token: key })).status).toBe(200);
    expect((await call('GET', `/v2/accounts/${foreign.account_id}`, { token: key })).status).toBe(
      404,
    );
    expect(outcome(await call('GET', at, { token: key }))).toEqual([403, 'role_required']);
    const listed = await call('GET', `${at}?page_size=100`, { token: account.api_key });
    const row = (listed.body['items'] as { key_id: string; last_used_at: string | null }[]).find(
      ({ key_id }) => key_id === shown['key_id'],
    );
    expect(row?.last_used_at).not.toBeNull();
    // Only the first answer contains the secret: the database stores its hash.
    const secret = key.slice(21);
    expect(listed.text).not.toContain(secret);
    const { rows } = await db.query(
      `SELECT k::text AS text FROM api_keys k WHERE key_id = $1
       UNION ALL SELECT r::text FROM audit_rows r WHERE object_id = $1`,
      [shown['key_id']],
    );
    expect(rows.length).toBe(2);
    for (const { text } of rows) expect(text).not.toContain(secret);
    const revoke = () =>
      call('DELETE', `${at}/${String(shown['key_id'])}`, { token: account.api_key });
    const revoked = await revoke();
    expect(revoked.body['revoked_at']).toEqual(expect.any(String));
    expect((await revoke()).body).toEqual(revoked.body);
    expect(outcome(await call('GET', own, { token: key }))).toEqual([401, 'credential_invalid']);
    const told = (await audited(account)).filter(({ object_id }) => object_id === shown['key_id']);
    const { name, roles, livemode } = shown;
    expect(told.map(({ action, details }) => [action, details])).toEqual([
      ['api_key.revoked', {}],
      [
        'api_key.created',
        { to: { name, roles, livemode, scopes: null, app_ids: null, expires_at } },
      ],
    ]);
  });

  it('cannot have the role POLYADMIN', async () => {
    const { token } = await newCertUser(db, account.account_id, ['POLYADMIN']);
    for (const as of [token, account.api_key]) {
      expect((await create({ name: 'a', roles: ['POLYADMIN'] }, as)).status).toBe(422);
      expect((await create({ name: 'a', roles: ['ADMIN', 'POLYADMIN'] }, as)).status).toBe(422);
    }
    expect((await create({ name: 'a', roles: ['ADMIN'] }, token)).status).toBe(201);
  });

  it.each([
    [{}],
    [{ name: 'a' }],
    [{ name: '  ', roles: ['VIEWER'] }],
    [{ name: 'a\u202eb', roles: ['VIEWER'] }],
    [{ name: 'a'.repeat(121), roles: ['VIEWER'] }],
    [{ name: 'a', roles: [] }],
    [{ name: 'a', roles: ['VIEWER'], livemode: 'yes' }],
    [{ name: 'a', roles: ['VIEWER'], expires_at: '2020-01-01T00:00:00Z' }],
    [{ name: 'a', roles: ['VIEWER'], expires_at: '9999-12-31T23:59:59-23:59' }],
    [{ name: 'a', roles: ['VIEWER'], expires_at: 4_000_000_000 }],
    [{ name: { $gt: '' }, roles: ['VIEWER'] }],
    [[]],
  ])('is not created from %j', async (body) => {
    expect((await create(body)).status).toBe(422);
  });

  it('cannot outlive the key that creates it, and a test key cannot create keys', async () => {
    const made = async (body: object): Promise<string> =>
      String((await create({ name: 'maker', roles: ['ADMIN'], ...body })).body['api_key']);
    const expires_at = inAnHour();
    const ending = await made({ expires_at });
    const child = { name: 'child', roles: ['VIEWER'] };
    const later = new Date(Date.parse(expires_at) + 1).toISOString();
    for (const more of [{}, { expires_at: later }]) {
      const refused = await create({ ...child, ...more }, ending);
      expect([refused.status, refused.body['detail']]).toMatchObject([
        422,
        [{ loc: ['body', 'expires_at'] }],
      ]);
    }
    expect((await create({ ...child, expires_at }, ending)).status).toBe(201);
    const test = await made({ livemode: false });
    for (const livemode of [true, false]) {
      const refused = await create({ ...child, livemode }, test);
      expect([refused.status, refused.body['code']]).toEqual([403, 'live_key_required']);
    }
  });

  it('is created once per Idempotency-Key, even after a crash', async () => {
    const idempotency = `keys-${process.pid}-${Date.now()}`;
    const body = { name: 'once', roles: ['VIEWER'] };
    const first = await create(body, account.api_key, idempotency);
    expect((await create(body, account.api_key, idempotency)).body).toEqual(first.body);
    const scope = [account.api_key.slice(0, 20), account.account_id];
    // Simulates a crash before the answer: the retry takes over the key with the same seed.
    await db.query(
      `UPDATE idempotency_keys SET state = 'running', response_sealed = NULL,
         locked_until = now() - interval '1 minute' WHERE state = 'done' AND id = $1`,
      [idOfKey({ scope, operation: 'api-keys.create', key: idempotency })],
    );
    const again = await create(body, account.api_key, idempotency);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(again.body).toEqual(first.body);
    const told = (await audited(account)).filter(
      ({ object_id }) => object_id === first.body['key_id'],
    );
    expect(told.length).toBe(1);
    const other = await create({ ...body, name: 'twice' }, account.api_key, idempotency);
    expect(outcome(other)).toEqual([409, 'idempotency_mismatch']);
  });

  it('returns 404 for a key that is unknown or of another account', async () => {
    const id = foreign.api_key.slice(0, 20);
    for (const unknown of [id, 'tk_live_000000000000']) {
      const refused = await call('DELETE', `${at}/${unknown}`, { token: account.api_key });
      expect(outcome(refused)).toEqual([404, 'not_found']);
    }
    expect((await call('DELETE', `${at}/x`, { token: account.api_key })).status).toBe(422);
    expect((await call('GET', '/v2/events', { token: foreign.api_key })).status).toBe(200);
  });

  it('can revoke itself, and concurrent revocations write one audit row', async () => {
    const key = String((await create({ name: 'short', roles: ['ADMIN'] })).body['api_key']);
    const path = `${at}/${key.slice(0, 20)}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call('DELETE', path, { token: key })),
    );
    // Calls before the revocation get the same answer, later ones get 401.
    expect(answers.filter(({ status }) => status !== 200 && status !== 401)).toEqual([]);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    const told = (await audited(account)).filter(({ object_id }) => object_id === key.slice(0, 20));
    expect(told.map(({ action }) => action)).toEqual(['api_key.revoked', 'api_key.created']);
  });
});
