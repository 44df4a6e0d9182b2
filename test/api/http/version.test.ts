import { afterAll, describe, expect, it } from 'vitest';
import { apiVersion as ofClient, createClient } from '../../../client/index.ts';
import { fullReach } from '../../../db/client.ts';
import { listAccount } from '../../../db/queries/events.ts';
import { apiVersion } from '../../../workflows/events.ts';
import { call } from '../../support/http/client.ts';
import { contracts } from '../../support/http/routes.ts';
import { openTestDb, eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { eachOf } from '../authz/cells.ts';
import { connect, endSockets, follow, subscribe } from '../events/connect.ts';

const { baseUrl, databaseUrl, own } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());
endSockets();

const header = 'trustcheck-version';
/** Link paths match only well-formed ids. */
const noLink = '00000000-0000-4000-8000-000000000000';

describe('Trustcheck-Version', () => {
  it('with an unknown version is rejected by every operation before it acts', async () => {
    const wrong: string[] = [];
    await eachOf(contracts, 8, async ({ id, method, path }) => {
      const target = path.replace('{link_uuid}', noLink).replaceAll(/\{[^}]+\}/g, 'x');
      const headers = { [header]: '2020-01-01' };
      const { status, body } = await call(method.toUpperCase(), target, { headers });
      if (status !== 400 || body['code'] !== 'unknown_version') wrong.push(`${id}: ${status}`);
      else expect(body['known_versions']).toEqual([apiVersion]);
    });
    expect(wrong).toEqual([]);
  });

  it.each(['', '2026-11', `${apiVersion}, ${apiVersion}`, 'latest'])(
    'is rejected as %j',
    async (asked) => {
      const { body } = await call('GET', '/livez', { headers: { [header]: asked } });
      expect(body['code']).toBe('unknown_version');
    },
  );

  it.each([
    ['an answer', '/livez', 200],
    ['a problem', '/v2/events', 401],
    ['a path without an operation', '/nowhere/at/all/there', 404],
  ])('is in %s, whether requested or not', async (_what, path, status) => {
    for (const headers of [{}, { [header]: apiVersion }]) {
      const answer = await call('GET', path, { headers });
      expect([answer.status, answer.headers.get(header)]).toEqual([status, apiVersion]);
    }
  });

  it('is sent by the client, which can be given another version', async () => {
    const sent: (string | null)[] = [];
    const deps = {
      fetch: (url: string, init: RequestInit) => {
        sent.push(new Headers(init.headers).get(header));
        return fetch(url, init);
      },
    };
    const client = createClient({ baseUrl, token: own.api_key, deps });
    await client.rateLimits.get();
    const pinned = client.rateLimits.get({ headers: { 'Trustcheck-Version': '2020-01-01' } });
    await expect(pinned).rejects.toMatchObject({ code: 'unknown_version' });
    expect(sent).toEqual([apiVersion, '2020-01-01']);
    expect(ofClient).toBe(apiVersion);
  });

  it('is in every event of the pull feed and of sockets', async () => {
    const [head] = (await listAccount(db, [own.account_id, 0, 100_000, []], fullReach)).slice(-1);
    const socket = await connect(own.api_key);
    const seen = follow(socket);
    const after = head?.account_seq ?? 0;
    const subscribed = await subscribe(socket, { stream: `account:${own.account_id}`, after });
    expect(subscribed.ok).toBe(true);
    await call('PUT', `/v2/link/${own.app_id}`, { token: own.api_key, body: {} });
    const event = await eventually('an event', async () => seen[0]);
    expect(event).toMatchObject({ api_version: apiVersion });
    const { body } = await call('GET', `/v2/events?after=${after}`, { token: own.api_key });
    expect(body['items']).toMatchObject([{ api_version: apiVersion }]);
  });
});
