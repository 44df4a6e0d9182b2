import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { call, done, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connect, endSockets, follow, subscribe } from '../events/connect.ts';

const { databaseUrl, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
let account: Seed;
let at: string;
/** Two apps of the account and one in test mode. */
let apps: Readonly<Record<'one' | 'two' | 'test', string>>;
let objects: Readonly<Record<'one' | 'two', Objects>>;

interface Objects {
  readonly link: string;
  readonly check: string;
}

afterAll(() => db.end());
endSockets();

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const create = (limits: object, token = account.api_key): Promise<Answer> =>
  call('POST', `${at}/api-keys`, { token, body: { name: 'a key', roles: ['ADMIN'], ...limits } });
const keyWith = async (limits: object): Promise<string> =>
  String((await done('a key', () => create(limits))).body['api_key']);
const get = (path: string, token: string): Promise<Answer> => call('GET', path, { token });
const itemsOf = ({ body }: Answer) => body['items'] as Record<string, unknown>[];

async function newObjects(app: string): Promise<Objects> {
  const token = account.api_key;
  const body = { title: app, required_proofs: ['phone'] };
  const made = await done('a link', () => call('PUT', `/v2/link/${app}`, { token, body }));
  const link = String(made.body['link_uuid']);
  const begun = await done('a check', () =>
    call('POST', '/v2/trust-checks', { token, body: { link_uuid: link, client: 'web' } }),
  );
  return { link, check: String(begun.body['link_session_id']) };
}

beforeAll(async () => {
  account = await newAccount(`limits-${process.pid}-${Date.now()}`);
  at = `/v2/accounts/${account.account_id}`;
  const { app_id: one, api_key: token } = account;
  apps = { one, two: `${one}-two`, test: `${one}-test` };
  for (const [app, livemode] of [
    [apps.two, true],
    [apps.test, false],
  ] as const) {
    const body = { name: app, kind: 'sdk', livemode };
    await done('an app', () => call('PUT', `${at}/apps/${app}`, { token, body }));
  }
  objects = { one: await newObjects(apps.one), two: await newObjects(apps.two) };
});

describe('a key with scopes', () => {
  it('returns its scopes and records them in the audit log', async () => {
    const made = await create({ scopes: ['trust_checks:read', 'links:read', 'links:read'] });
    const scopes = ['links:read', 'trust_checks:read'];
    expect(made.body).toMatchObject({ scopes, app_ids: null });
    const [row] = await audited(account);
    expect(row?.details).toMatchObject({ to: { scopes, app_ids: null } });
    const rotated = await call('POST', `${at}/api-keys/${String(made.body['key_id'])}/rotate`, {
      token: account.api_key,
    });
    expect(rotated.body).toMatchObject({ scopes, app_ids: null });
  });

  it('can call operations in its scopes; a refusal names the missing scope', async () => {
    const key = await keyWith({ scopes: ['links:read'] });
    expect((await get(`/v2/raw/${objects.one.link}`, key)).status).toBe(200);
    const refused = await get(`/v2/trust-checks/${objects.one.check}`, key);
    expect([...outcome(refused), refused.body['scope']]).toEqual([
      403,
      'insufficient_scope',
      'trust_checks:read',
    ]);
    const written = await call('PUT', `/v2/link/${apps.one}`, { token: key, body: {} });
    expect(written.body).toMatchObject({ code: 'insufficient_scope', scope: 'links:write' });
    // A report needs no credential, but a key that is sent must have the scope.
    const ticket = await call('POST', `/v2/ticket/${apps.one}`, { token: key, body: {} });
    expect(outcome(ticket)).toEqual([403, 'insufficient_scope']);
  });

  it('cannot create or rotate a key with more rights', async () => {
    const maker = await keyWith({ scopes: ['api_keys:write', 'links:read'] });
    for (const limits of [{}, { scopes: ['links:read', 'links:write'] }]) {
      expect(outcome(await create(limits, maker))).toEqual([403, 'insufficient_scope']);
    }
    expect((await create({ scopes: ['links:read'] }, maker)).status).toBe(201);
    const [wider, same] = [await create({}), await create({ scopes: ['links:read'] })];
    const rotate = ({ body }: Answer) =>
      call('POST', `${at}/api-keys/${String(body['key_id'])}/rotate`, { token: maker });
    expect(outcome(await rotate(wider))).toEqual([403, 'insufficient_scope']);
    expect((await rotate(same)).status).toBe(201);
  });

  it('can subscribe on a socket only with events:read', async () => {
    const stream = `account:${account.account_id}`;
    const without = await connect(await keyWith({ scopes: ['trust_checks:read'] }));
    expect(await subscribe(without, { stream })).toEqual({ ok: false, code: 'insufficient_scope' });
    const allowed = await connect(await keyWith({ scopes: ['events:read'] }));
    expect(await subscribe(allowed, { stream })).toMatchObject({ ok: true });
  });

  it.each([[[]], [['links']], [['links:delete']], ['links:read'], [null]])(
    'is not created with the scopes %j',
    async (scopes) => {
      expect((await create({ scopes })).status).toBe(422);
    },
  );
});

describe('a key limited to apps', () => {
  it('can read only the objects of its apps', async () => {
    const key = await keyWith({ app_ids: [apps.one] });
    const paths = ({ link, check }: Objects, app: string) => [
      `/v2/raw/${link}`,
      `/v2/trust-checks/${check}`,
      `/v2/trust-checks/${check}/events`,
      `/v2/app/${app}/status`,
      `/v2/app/${app}/users`,
      `${at}/apps/${app}`,
      `/v2/links/${account.account_id}/${app}`,
    ];
    for (const path of paths(objects.one, apps.one)) {
      expect((await get(path, key)).status, path).toBe(200);
    }
    for (const path of paths(objects.two, apps.two)) {
      expect(outcome(await get(path, key)), path).toEqual([404, 'not_found']);
    }
  });

  it('can change only the objects of its apps', async () => {
    const key = await keyWith({ app_ids: [apps.one] });
    const asked = async (app: string, { link, check }: Objects): Promise<number[]> => {
      const as = (method: string, path: string, body: unknown = {}) =>
        call(method, path, { token: key, body });
      const answers = [
        await as('PUT', `/v2/link/${app}`),
        await as('PATCH', `/v2/${link}`, { title: 'changed' }),
        await as('POST', `/v2/ticket/${app}`),
        await as('POST', '/v2/trust-checks', { link_uuid: link, client: 'web' }),
        await as('PATCH', `${at}/apps/${app}`, { tos_version: '2' }),
        await as('POST', `/v2/trust-checks/${check}/retry`),
      ];
      return answers.map(({ status }) => status);
    };
    expect(await asked(apps.one, objects.one)).toEqual([200, 200, 200, 201, 200, 409]);
    expect(await asked(apps.two, objects.two)).toEqual([404, 404, 404, 404, 404, 404]);
  });

  it('sees nothing of other apps in lists', async () => {
    const key = await keyWith({ app_ids: [apps.one] });
    for (const path of ['/v2/trust-checks', '/v2/events', '/applications']) {
      const [shown, all] = [await get(path, key), await get(path, account.api_key)];
      const ids = (answer: Answer) => new Set(itemsOf(answer).map(({ app_id }) => app_id));
      expect([...ids(shown)], path).toEqual([apps.one]);
      expect([...ids(all)], path).toContain(apps.two);
      if ('total' in shown.body) expect(shown.body['total']).toBe(itemsOf(shown).length);
    }
    for (const path of [
      `/v2/trust-checks?app_id=${apps.two}`,
      `/v2/events?stream=trust-check:${objects.two.check}`,
    ]) {
      expect(itemsOf(await get(path, key)), path).toEqual([]);
    }
  });

  it('can read the logs of one app, and must name it if the key has several', async () => {
    const path = `/v2/logs/account/${account.account_id}`;
    const [one, both] = [
      await keyWith({ app_ids: [apps.one] }),
      await keyWith({ app_ids: [apps.two, apps.one] }),
    ];
    const shown = itemsOf(await get(path, one));
    expect(shown.length).toBeGreaterThan(0);
    expect(new Set(shown.map(({ app_id }) => app_id))).toEqual(new Set([apps.one]));
    expect((await get(path, both)).status).toBe(422);
    expect(itemsOf(await get(`${path}?app_id=${apps.two}`, both)).length).toBeGreaterThan(0);
    for (const app of [apps.two, 'no-app', foreign.app_id]) {
      expect(outcome(await get(`${path}?app_id=${app}`, one))).toEqual([404, 'not_found']);
    }
  });

  it('is refused for operations that concern no app', async () => {
    const key = await keyWith({ app_ids: [apps.one] });
    for (const path of [at, `${at}/members`, `${at}/api-keys`, '/v2/meeting/sandbox/AAAA']) {
      expect(outcome(await get(path, key)), path).toEqual([403, 'app_key_refused']);
    }
  });

  it('creates links of its only app without app_id', async () => {
    const path = '/v2/link/type/trust_check';
    const make = (token: string) => call('PUT', path, { token, body: {} });
    expect((await make(account.api_key)).status).toBe(422);
    const made = await make(await keyWith({ app_ids: [apps.two] }));
    expect([made.status, made.body['app_id']]).toEqual([200, apps.two]);
  });

  it('can access only webhook endpoints of its apps', async () => {
    const key = await keyWith({ app_ids: [apps.one] });
    const path = `${at}/webhook-endpoints`;
    const make = (token: string, app_id?: string) => {
      const body = { url: 'http://127.0.0.1:9/', types: ['meeting.ended'], app_id };
      return call('POST', path, { token, body });
    };
    expect((await make(key)).status).toBe(422);
    expect(outcome(await make(key, apps.two))).toEqual([404, 'not_found']);
    const own = await make(key, apps.one);
    expect(own.status).toBe(201);
    const others = [await make(account.api_key), await make(account.api_key, apps.two)];
    for (const { body } of others) {
      const other = await get(`${path}/${String(body['endpoint_id'])}`, key);
      expect(outcome(other)).toEqual([404, 'not_found']);
    }
    const listed = await get(path, key);
    const ids = itemsOf(listed).map(({ endpoint_id }) => endpoint_id);
    expect([ids, listed.body['total']]).toEqual([[own.body['endpoint_id']], 1]);
  });

  it('receives only the events of its apps on a socket', async () => {
    const socket = await connect(await keyWith({ app_ids: [apps.one] }));
    const seen = follow(socket);
    const two = await subscribe(socket, { stream: `trust-check:${objects.two.check}` });
    expect(two).toEqual({ ok: false, code: 'not_found' });
    const stream = `account:${account.account_id}`;
    expect(await subscribe(socket, { stream })).toMatchObject({ ok: true });
    // The last event of the account belongs to this app, so all earlier ones have been sent or
    // skipped.
    await newObjects(apps.two);
    const { check } = await newObjects(apps.one);
    const last = await eventually('the last event', async () =>
      seen.find((event) => Object(event).object_id === check),
    );
    expect(last).toBeDefined();
    expect(new Set(seen.map((event) => Object(event).app_id))).toEqual(new Set([apps.one]));
  });

  it('accepts only apps of its account and mode', async () => {
    for (const app_ids of [[], ['no-app'], [foreign.app_id], ['X'], null]) {
      expect((await create({ app_ids })).status, String(app_ids)).toBe(422);
    }
    const made = await create({ app_ids: [apps.two, apps.one, apps.two] });
    expect(made.body['app_ids']).toEqual([apps.one, apps.two]);
    expect((await create({ app_ids: [apps.one], livemode: false })).status).toBe(422);
    const key = await keyWith({ app_ids: [apps.test], livemode: false });
    const listed = itemsOf(await get('/applications', key));
    expect(listed.map(({ app_id }) => app_id)).toEqual([apps.test]);
  });
});
