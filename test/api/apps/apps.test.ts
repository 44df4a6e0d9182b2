import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { simulatedApp } from '../../../domain/proofs/device/simulated-app.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import { newEmailUser } from '../../support/people/email-users.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startLogoServer, type LogoServer } from '../../support/stand-ins/logo-server.ts';

const { baseUrl, databaseUrl, own, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
const mark = `${process.pid}-${Date.now()}`;
let account: Seed;
let logos: LogoServer;
let at: string;
beforeAll(async () => {
  account = await newAccount(`apps-${mark}`);
  at = `/v2/accounts/${account.account_id}/apps`;
  logos = await startLogoServer();
});
afterAll(() => Promise.all([db.end(), logos.stop()]));

let last = 0;
const newId = (): string => `app-${mark}-${(last += 1)}`;
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const create = (id: string, body: unknown, token = account.api_key): Promise<Answer> =>
  call('PUT', `${at}/${id}`, { token, body });
const update = (id: string, body: unknown): Promise<Answer> =>
  call('PATCH', `${at}/${id}`, { token: account.api_key, body });
const archive = (id: string): Promise<Answer> =>
  call('DELETE', `${at}/${id}`, { token: account.api_key });
const toldOf = async (id: string): Promise<unknown[]> =>
  (await audited(account))
    .filter(({ object_id }) => object_id === id)
    .map(({ action, details }) => [action, details]);
const sdk = { name: 'An app', kind: 'sdk' };

describe('an app', () => {
  it('is created with defaults and serves links at once', async () => {
    const id = newId();
    const made = await create(id, sdk);
    expect([made.status, made.body]).toEqual([
      201,
      {
        app_id: id,
        account_id: account.account_id,
        name: 'An app',
        kind: 'sdk',
        status: 'active',
        livemode: true,
        redirect_url: `${baseUrl}/success/by-app/${id}`,
        allowed_origins: [],
        auto_redirect: false,
        logo_url: null,
        brand_color: null,
        support_email: null,
        support_url: null,
        default_proofs: ['device', 'nfc_passport', 'phone'],
        tos_url: null,
        tos_version: '1',
        install_url: null,
        ...simulatedApp,
        created_at: expect.any(String),
      },
    ]);
    const token = account.api_key;
    expect((await call('GET', `${at}/${id}`, { token })).body).toEqual(made.body);
    const link = await call('PUT', `/v2/link/${id}`, { token, body: {} });
    expect([link.status, link.body['required_proofs']]).toEqual([200, made.body['default_proofs']]);
    const portal = await create(newId(), { name: 'Ours', kind: 'portal', livemode: false });
    expect([portal.body['redirect_url'], portal.body['livemode']]).toEqual([null, false]);
  });

  it('has the identities of the simulated phone by default in development', async () => {
    const of = async (more: object) => {
      const { body } = await create(newId(), { name: 'An app', kind: 'sdk', ...more });
      return { apple: body['apple'], android: body['android'] };
    };
    const apple = { team_id: 'ABCDE12345', bundle_id: 'com.example.app' };
    expect(await of({ apple })).toEqual({ ...simulatedApp, apple });
    expect(await of({ apple: null, android: null })).toEqual({ apple: null, android: null });
  });

  it('stores the given values in canonical form', async () => {
    const given = {
      name: 'Ünïcode ✓',
      kind: 'portal',
      redirect_url: 'https://example.test/done',
      allowed_origins: ['https://example.test', 'https://b.example.test:8443', 'http://localhost'],
      auto_redirect: true,
      logo_url: `${logos.url}/wide.png`,
      brand_color: '#1b57b8',
      support_email: 'help@example.test',
      support_url: 'https://example.test/help',
      default_proofs: ['phone'],
      tos_url: 'https://example.test/terms',
      tos_version: '2026-11',
      install_url: 'https://example.test/install',
      apple: { team_id: 'ABCDE12345', bundle_id: 'test.example.app' },
    };
    const colons = Array.from({ length: 32 }, () => 'Ab').join(':');
    const android = { package: 'test.example.app', signature_digests: [colons] };
    const { body } = await create(newId(), { ...given, android });
    expect(body).toMatchObject({
      ...given,
      android: { package: 'test.example.app', signature_digests: ['ab'.repeat(32)] },
    });
  });

  it('is updated property by property, and archived permanently', async () => {
    const id = newId();
    const made = await create(id, { ...sdk, apple: null });
    const change = { redirect_url: 'https://example.test/', tos_version: '2', apple: null };
    const changed = await update(id, change);
    expect(changed.body).toEqual({ ...made.body, ...change });
    expect((await update(id, {})).body).toEqual(changed.body);
    // Null restores the default redirect of this kind of app.
    const back = await update(id, { redirect_url: null });
    expect(back.body['redirect_url']).toBe(made.body['redirect_url']);
    const link = await call('PUT', `/v2/link/${id}`, { token: account.api_key, body: {} });
    const begin = (): Promise<Answer> =>
      call('POST', '/v2/trust-checks', {
        body: { link_uuid: link.body['link_uuid'], client: 'web' },
      });
    const begun = await begin();
    expect(begun.status).toBe(201);
    const archived = await archive(id);
    expect(outcome(await begin())).toEqual([404, 'not_found']);
    expect(archived.body).toEqual({ ...back.body, status: 'archived' });
    expect((await archive(id)).body).toEqual(archived.body);
    expect(outcome(await update(id, { name: 'again' }))).toEqual([409, 'invalid_state']);
    expect(outcome(await create(id, sdk))).toEqual([409, 'app_id_taken']);
    const token = account.api_key;
    expect((await call('GET', `${at}/${id}`, { token })).body).toEqual(archived.body);
    expect((await call('PUT', `/v2/link/${id}`, { token, body: {} })).status).toBe(404);
    const ours = made.body['redirect_url'];
    expect(await toldOf(id)).toEqual([
      ['app.archived', { from: { status: 'active' }, to: { status: 'archived' } }],
      [
        'app.updated',
        { from: { redirect_url: 'https://example.test/' }, to: { redirect_url: ours } },
      ],
      [
        'app.updated',
        {
          from: { redirect_url: ours, tos_version: '1' },
          to: { redirect_url: 'https://example.test/', tos_version: '2' },
        },
      ],
      ['app.created', { to: expect.objectContaining(sdk) }],
    ]);
  });

  it('has an id that is unique on the platform', async () => {
    const id = newId();
    const first = await create(id, sdk);
    expect((await create(id, sdk)).body).toEqual(first.body);
    for (const other of [
      { ...sdk, name: 'Another' },
      { ...sdk, kind: 'portal' },
      { ...sdk, livemode: false },
    ]) {
      expect(outcome(await create(id, other))).toEqual([409, 'app_id_taken']);
    }
    expect(outcome(await create(foreign.app_id, sdk))).toEqual([409, 'app_id_taken']);
    expect((await toldOf(id)).length).toBe(1);
  });

  it('belongs to one account when two create its id concurrently', async () => {
    const rival = await newAccount(`rival-${mark}`);
    for (let round = 0; round < 3; round += 1) {
      const id = newId();
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, place) => {
          const { account_id, api_key: token } = place % 2 === 0 ? account : rival;
          return call('PUT', `/v2/accounts/${account_id}/apps/${id}`, { token, body: sdk });
        }),
      );
      const owners = answers.flatMap(({ status, body }) =>
        status === 201 ? [body['account_id']] : [],
      );
      expect([owners.length, new Set(owners).size]).toEqual([25, 1]);
      const refused = answers.filter(({ status }) => status !== 201).map(outcome);
      expect(refused).toEqual(Array.from({ length: 25 }, () => [409, 'app_id_taken']));
      const rows = [...(await audited(account)), ...(await audited(rival))];
      expect(rows.filter(({ object_id }) => object_id === id).length).toBe(1);
    }
  });

  it('returns 404 if it belongs to another account', async () => {
    const token = account.api_key;
    for (const id of [foreign.app_id, 'no-such-app']) {
      const answers = [
        await call('GET', `${at}/${id}`, { token }),
        await update(id, { name: 'mine' }),
        await archive(id),
      ];
      expect(answers.map(outcome)).toEqual(answers.map(() => [404, 'not_found']));
    }
    const there = `/v2/accounts/${foreign.account_id}/apps/${newId()}`;
    expect(outcome(await call('PUT', there, { token, body: sdk }))).toEqual([404, 'not_found']);
  });

  it('cannot be the 101st of its account', async () => {
    const full = await newAccount(`full-${mark}`);
    await db.query(
      `INSERT INTO apps (app_id, account_id, name, kind, allowed_origins, default_proofs,
         tos_version, created_at)
       SELECT $1 || n, $2, 'One of many', 'portal', '{}', '{phone}', '1', now()
       FROM generate_series(1, 98) n`,
      [`full-${mark}-of-`, full.account_id],
    );
    const place = `/v2/accounts/${full.account_id}/apps/`;
    const make = (id: string) => call('PUT', place + id, { token: full.api_key, body: sdk });
    expect((await make(`full-${mark}-last`)).status).toBe(201);
    expect(outcome(await make(`full-${mark}-more`))).toEqual([409, 'app_limit']);
  });

  it('is created once per Idempotency-Key', async () => {
    const headers = { 'idempotency-key': `apps-${mark}` };
    const id = newId();
    const put = (body: unknown) =>
      call('PUT', `${at}/${id}`, { token: account.api_key, body, headers });
    expect((await put(sdk)).status).toBe(201);
    expect((await put(sdk)).headers.get('idempotent-replayed')).toBe('true');
    expect(outcome(await put({ ...sdk, name: 'x' }))).toEqual([409, 'idempotency_mismatch']);
  });
});

describe('apps.list', () => {
  it('contains the apps of all accounts of a person, or of the account of a key', async () => {
    const idsFor = async (token: string): Promise<unknown[]> => {
      const { body } = await call('GET', '/applications?page_size=100', { token });
      return (body['items'] as { app_id: string }[]).map(({ app_id }) => app_id);
    };
    const { token } = await newEmailUser(db, {
      [own.account_id]: ['VIEWER'],
      [foreign.account_id]: ['POLYADMIN'],
    });
    const ids = await idsFor(token);
    expect(ids).toEqual(expect.arrayContaining([own.app_id, foreign.app_id]));
    expect(ids).not.toContain(account.app_id);
    expect(await idsFor(foreign.api_key)).not.toContain(own.app_id);
    const nobody = await newEmailUser(db);
    expect(await idsFor(nobody.token)).toEqual([]);
    expect((await call('GET', '/applications')).status).toBe(401);
  });

  it('is paged and includes archived apps', async () => {
    const id = newId();
    await create(id, sdk);
    await archive(id);
    const { body } = await call('GET', '/applications?page_size=100', { token: account.api_key });
    expect(body['items']).toContainEqual({
      app_id: id,
      account_id: account.account_id,
      name: 'An app',
      kind: 'sdk',
      status: 'archived',
      livemode: true,
      logo_url: null,
    });
    const one = await call('GET', '/applications?page_size=1&page=2', { token: account.api_key });
    expect((one.body['items'] as unknown[]).length).toBe(1);
    expect(one.body['total']).toBe(body['total']);
  });
});
