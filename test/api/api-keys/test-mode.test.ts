import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { call, done, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { eventually } from '../../support/platform/harness.ts';
import { connect, endSockets, follow, subscribe } from '../events/connect.ts';

endSockets();

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const itemsOf = ({ body }: Answer) => body['items'] as Record<string, unknown>[];

let account: Seed;
let at: string;
let liveKey: string;
let testKey: string;
let testApp: string;
/** One link and one check of each mode. */
let live: Objects;
let test: Objects;

interface Objects {
  readonly link: string;
  readonly check: string;
}

async function newObjects(token: string, app: string): Promise<Objects> {
  const body = { title: `of ${app}`, required_proofs: ['phone'] };
  const made = await done('a link', () => call('PUT', `/v2/link/${app}`, { token, body }));
  const link = String(made.body['link_uuid']);
  const begin = { link_uuid: link, client: 'web' };
  const begun = await done('a check', () =>
    call('POST', '/v2/trust-checks', { token, body: begin }),
  );
  return { link, check: String(begun.body['link_session_id']) };
}

beforeAll(async () => {
  account = await newAccount(`wall-${process.pid}`);
  liveKey = account.api_key;
  at = `/v2/accounts/${account.account_id}`;
  testApp = `${account.app_id}-test`;
  const body = { name: 'a test key', roles: ['ADMIN'], livemode: false };
  const made = await done('a key', () => call('POST', `${at}/api-keys`, { token: liveKey, body }));
  testKey = String(made.body['api_key']);
  const app = { name: 'Test', kind: 'sdk' };
  await done('an app', () => call('PUT', `${at}/apps/${testApp}`, { token: testKey, body: app }));
  live = await newObjects(liveKey, account.app_id);
  test = await newObjects(testKey, testApp);
});

describe('lists', () => {
  const get = (path: string, token: string): Promise<Answer> =>
    done(path, () => call('GET', path, { token }));

  const lists: readonly (readonly [string, () => string, string])[] = [
    ['checks', (): string => '/v2/trust-checks?page_size=100', 'link_session_id'],
    ['events', (): string => '/v2/events?limit=500', 'app_id'],
    ['logs', (): string => `/v2/logs/account/${account.account_id}?log_types=trust_check`, 'id'],
    ['found logs', (): string => `/v2/logs/account/${account.account_id}?search=of%20`, 'id'],
    ['apps', () => '/applications', 'app_id'],
  ];
  it.each(lists)('show %s of test mode only to a test key', async (_what, pathOf, name) => {
    const path = pathOf();
    const shown = itemsOf(await get(path, testKey));
    const all = itemsOf(await get(path, liveKey));
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.every(({ livemode = false }) => livemode === false)).toBe(true);
    const values = (items: Record<string, unknown>[]) => new Set(items.map((row) => row[name]));
    const [inTest, inBoth] = [values(shown), values(all)];
    expect(inBoth.size).toBeGreaterThan(inTest.size);
    expect([...inTest].every((value) => inBoth.has(value))).toBe(true);
    for (const hidden of [live.check, live.link, account.app_id]) {
      expect([...inTest]).not.toContain(hidden);
    }
  });

  it('count for a test key only the rows they show', async () => {
    for (const path of [
      '/v2/trust-checks',
      '/applications',
      `/v2/logs/account/${account.account_id}`,
    ]) {
      const { body } = await get(path, testKey);
      expect(body['total'], path).toBe((body['items'] as unknown[]).length);
    }
  });

  it('are empty for a test key that filters by a live app or link', async () => {
    for (const path of [
      `/v2/trust-checks?app_id=${account.app_id}`,
      `/v2/trust-checks?link_uuid=${live.link}`,
      `/v2/events?stream=link:${live.link}`,
      `/v2/logs/account/${account.account_id}?app_id=${account.app_id}`,
    ]) {
      expect(itemsOf(await get(path, testKey)), path).toEqual([]);
      expect(itemsOf(await get(path, liveKey)).length, path).toBeGreaterThan(0);
    }
  });
});

describe('a live key', () => {
  const asLive = (method: string, path: string, body: unknown = {}): Promise<Answer> =>
    call(method, path, { token: liveKey, body });

  it('can read a check in test mode but not change its outcome', async () => {
    const path = `/v2/trust-checks/${test.check}`;
    expect((await call('GET', path, { token: liveKey })).status).toBe(200);
    for (const step of ['cancel', 'retry', 'revoke', 'redact']) {
      const refused = await asLive('POST', `${path}/${step}`);
      expect(outcome(refused), step).toEqual([403, 'test_key_required']);
    }
    const review = { decision: 'approve', note: 'fine' };
    expect(outcome(await asLive('POST', `${path}/review`, review))).toEqual([
      403,
      'test_key_required',
    ]);
    // The deletion of a link cancels its checks.
    const removed = await call('DELETE', `/v2/${test.link}`, { token: liveKey });
    expect(outcome(removed)).toEqual([403, 'test_key_required']);
    const { body } = await call('GET', path, { token: testKey });
    expect(body['status']).toBe('created');
  });

  it('gets the same refusal for the same Idempotency-Key, while a session may cancel', async () => {
    const path = `/v2/trust-checks/${test.check}/cancel`;
    const headers = { 'idempotency-key': `wall-${test.check}` };
    for (let time = 0; time < 2; time += 1) {
      const refused = await call('POST', path, { token: liveKey, headers, body: {} });
      expect(outcome(refused)).toEqual([403, 'test_key_required']);
    }
    const other = await newObjects(testKey, testApp);
    const token = account.admin.session_token;
    const ended = await call('POST', `/v2/trust-checks/${other.check}/cancel`, { token, body: {} });
    expect([ended.status, ended.body['status']]).toEqual([200, 'canceled']);
  });
});

describe('an object that a test key creates', () => {
  const asTest = (method: string, path: string, body: unknown): Promise<Answer> =>
    call(method, path, { token: testKey, body });
  const url = 'http://127.0.0.1:9/';

  it('is in test mode by default and cannot be live', async () => {
    const app = await asTest('PUT', `${at}/apps/${testApp}-b`, { name: 'B', kind: 'sdk' });
    expect([app.status, app.body['livemode']]).toEqual([201, false]);
    const endpoint = await asTest('POST', `${at}/webhook-endpoints`, { url });
    expect([endpoint.status, endpoint.body['livemode']]).toEqual([201, false]);
    for (const [method, path, body] of [
      ['PUT', `${at}/apps/${testApp}-c`, { name: 'C', kind: 'sdk', livemode: true }],
      ['POST', `${at}/webhook-endpoints`, { url, livemode: true }],
    ] as const) {
      const { status, body: problem } = await asTest(method, path, body);
      expect(status).toBe(422);
      expect(problem['detail']).toMatchObject([{ loc: ['body', 'livemode'] }]);
    }
  });

  it('cannot be an endpoint of a live app; an endpoint has the mode of its app', async () => {
    const path = `${at}/webhook-endpoints`;
    const foreign = await asTest('POST', path, { url, app_id: account.app_id });
    expect(outcome(foreign)).toEqual([404, 'not_found']);
    const body = { url, app_id: testApp };
    const made = await call('POST', path, { token: liveKey, body });
    expect([made.status, made.body['livemode']]).toEqual([201, false]);
    const wrong = await call('POST', path, { token: liveKey, body: { ...body, livemode: true } });
    expect(wrong.status).toBe(422);
  });

  it('is a link of the only test app if no app is named', async () => {
    const trial = await newAccount(`wall-one-${process.pid}`);
    const body = { name: 'a test key', roles: ['ADMIN'], livemode: false };
    const keys = `/v2/accounts/${trial.account_id}/api-keys`;
    const { api_key } = (await call('POST', keys, { token: trial.api_key, body })).body;
    const token = String(api_key);
    const create = () => call('PUT', '/v2/link/type/trust_check', { token, body: {} });
    expect((await create()).status).toBe(422);
    const app = `/v2/accounts/${trial.account_id}/apps/${trial.app_id}-test`;
    await done('an app', () => call('PUT', app, { token, body: { name: 'T', kind: 'sdk' } }));
    expect((await create()).body['app_id']).toBe(`${trial.app_id}-test`);
  });
});

describe('events of both modes', () => {
  let server: Server;
  const received: { readonly path: string; readonly body: string }[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        received.push({ path: request.url ?? '', body });
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('are delivered only to webhook endpoints of the same mode', async () => {
    const { port } = server.address() as AddressInfo;
    const types = ['link.created'];
    for (const [path, token] of [
      ['/live', liveKey],
      ['/test', testKey],
    ] as const) {
      const url = `http://127.0.0.1:${port}${path}`;
      const body = { url, types };
      await done('an endpoint', () => call('POST', `${at}/webhook-endpoints`, { token, body }));
    }
    const [mine, theirs] = [
      await newObjects(liveKey, account.app_id),
      await newObjects(testKey, testApp),
    ];
    const got = (path: string, link: string): boolean =>
      received.some((one) => one.path === path && one.body.includes(link));
    await eventually('both', async () => got('/live', mine.link) && got('/test', theirs.link));
    expect([got('/live', theirs.link), got('/test', mine.link)]).toEqual([false, false]);
  });

  it('reach the socket of a test key only if they are of test mode', async () => {
    const socket = await connect(testKey);
    const seen = follow(socket);
    const stream = `account:${account.account_id}`;
    expect((await subscribe(socket, { stream, after: 0 })).ok).toBe(true);
    await newObjects(liveKey, account.app_id);
    const { check } = await newObjects(testKey, testApp);
    const told = seen as unknown as { livemode: boolean; object_id: string }[];
    await eventually('the check', async () => told.some(({ object_id: id }) => id === check));
    expect(told.length).toBeGreaterThan(3);
    expect(told.filter(({ livemode }) => livemode)).toEqual([]);
    const hidden = await subscribe(socket, { stream: `trust-check:${live.check}`, after: 0 });
    expect(hidden).toEqual({ ok: false, code: 'not_found' });
    const own = await subscribe(socket, { stream: `trust-check:${test.check}`, after: 0 });
    expect(own.ok).toBe(true);
  });
});
