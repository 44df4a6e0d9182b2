import { afterAll, describe, expect, it } from 'vitest';
import { call, type Answer } from '../../../support/http/client.ts';
import { newAccount } from '../../../support/people/accounts.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, baseUrl, databaseUrl } = ownPlatform();
const { app_id: app, api_key: token } = own;
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const safari = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148';
const chrome = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/140.0.0.0 Mobile Safari/537.36';
const desktop = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36';
const iosApp = 'Example/4.1 CFNetwork/1568.100.1 Darwin/24.0.0';
const androidApp = 'okhttp/4.12.0';

let last = 0;
/** Returns an address that no other test of this run uses. */
function newAddress(): string {
  last += 1;
  return `198.${18 + (process.pid & 1)}.${(process.pid >> 1) & 255}.${last}`;
}

async function importLink(body: Record<string, unknown> = {}): Promise<string> {
  const made = await call('PUT', `/v2/link/import/${app}`, { token, body });
  expect(made.status).toBe(200);
  return String(made.body['link_uuid']);
}

async function opened(
  uuid: string,
  address: string,
  agent: string,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const headers = { 'x-forwarded-for': address, 'user-agent': agent, accept: 'text/html', ...more };
  const answer = await call('GET', `/v2/${app}/${uuid}`, { headers });
  expect(answer.status).toBe(200);
}

const ask = (address: string, agent: string): Promise<Answer> =>
  call('GET', '/v2/first-run', { headers: { 'x-forwarded-for': address, 'user-agent': agent } });
async function head(path: string, address: string, agent: string): Promise<void> {
  const headers = { 'x-forwarded-for': address, 'user-agent': agent };
  const { status } = await fetch(baseUrl + path, { method: 'HEAD', headers, redirect: 'manual' });
  expect(status).toBe(200);
}
async function given(address: string, agent: string): Promise<unknown> {
  const { status, body, headers } = await ask(address, agent);
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(headers.get('vary')).toBe('Sec-CH-UA-Platform, User-Agent');
  return Object(body['link']).link_uuid ?? body['link'];
}

describe('links.firstRun', () => {
  it('returns, once, the import link that was opened on the phone', async () => {
    for (const [browser, client] of [
      [safari, iosApp],
      [chrome, androidApp],
    ] as const) {
      const [uuid, address] = [await importLink(), newAddress()];
      await opened(uuid, address, browser);
      const first = await ask(address, client);
      expect(first.body).toEqual({
        link: { link_uuid: uuid, app_id: app, url: `${baseUrl}/v2/${app}/${uuid}` },
      });
      expect(await given(address, client)).toBeNull();
    }
  });

  it('returns the link that was opened last', async () => {
    const [early, late, address] = [await importLink(), await importLink(), newAddress()];
    await opened(late, address, safari);
    await opened(early, address, safari);
    await opened(late, address, safari);
    expect(await given(address, iosApp)).toBe(late);
  });

  it('returns nothing for another address or another platform', async () => {
    const [uuid, address] = [await importLink(), newAddress()];
    await opened(uuid, address, safari);
    expect(await given(newAddress(), iosApp)).toBeNull();
    expect(await given(address, androidApp)).toBeNull();
    expect(await given(address, desktop)).toBeNull();
    expect(await given(address, iosApp)).toBe(uuid);
  });

  it('recognizes a phone by its IPv6 network', async () => {
    const uuid = await importLink();
    const network = `2001:db8:${process.pid.toString(16)}:1`;
    await opened(uuid, `${network}:1::1`, chrome);
    expect(await given(`${network.slice(0, -1)}2:1::1`, androidApp)).toBeNull();
    expect(await given(`${network}:ffff::2`, androidApp)).toBe(uuid);
  });

  it('counts only page openings on phones: no desktop, image, prefetch or other link type', async () => {
    const [uuid, address] = [await importLink(), newAddress()];
    await opened(uuid, address, desktop);
    await opened(uuid, address, safari, { 'sec-fetch-dest': 'image' });
    await opened(uuid, address, safari, { accept: 'application/json' });
    await opened(uuid, address, chrome, { 'sec-purpose': 'prefetch' });
    await head(`/v2/${app}/${uuid}`, address, safari);
    const other = await call('PUT', `/v2/link/invite/${app}`, { token, body: {} });
    await opened(String(other.body['link_uuid']), address, safari);
    expect(await given(address, iosApp)).toBeNull();
    expect(await given(address, androidApp)).toBeNull();
  });

  it('is not spent by HEAD', async () => {
    const [uuid, address] = [await importLink(), newAddress()];
    await opened(uuid, address, safari);
    await head('/v2/first-run', address, iosApp);
    expect(await given(address, iosApp)).toBe(uuid);
  });

  it('returns no link that is too old or not active', async () => {
    const address = newAddress();
    const [late, paused, gone] = [await importLink(), await importLink(), await importLink()];
    for (const uuid of [late, paused, gone]) await opened(uuid, address, safari);
    await db.query(
      `UPDATE opened_imports SET expires_at = now() - interval '1 ms' WHERE link_uuid = $1`,
      [late],
    );
    await call('PATCH', `/v2/${paused}`, { token, body: { paused: true } });
    await call('DELETE', `/v2/${gone}`, { token });
    expect(await given(address, iosApp)).toBeNull();
    await opened(paused, address, safari);
    expect(await given(address, iosApp)).toBeNull();
    await call('PATCH', `/v2/${paused}`, { token, body: { paused: false } });
    await opened(paused, address, safari);
    expect(await given(address, iosApp)).toBe(paused);
  });

  it('returns no link of an archived app', async () => {
    const account = await newAccount(`imported-${process.pid}`);
    const made = await call('PUT', `/v2/link/import/${account.app_id}`, {
      token: account.api_key,
      body: {},
    });
    const address = newAddress();
    const headers = { 'x-forwarded-for': address, 'user-agent': safari, accept: 'text/html' };
    await call('GET', `/v2/${String(made.body['link_uuid'])}`, { headers });
    await db.query(`UPDATE apps SET status = 'archived' WHERE app_id = $1`, [account.app_id]);
    expect(await given(address, iosApp)).toBeNull();
  });

  it('stores no address and forgets an opening after half an hour', async () => {
    const [uuid, address] = [await importLink(), newAddress()];
    await opened(uuid, address, safari);
    const { rows } = await db.query<{ text: string; minutes: number }>(
      `SELECT o::text AS text, extract(epoch FROM expires_at - opened_at)::int / 60 AS minutes
       FROM opened_imports o WHERE link_uuid = $1`,
      [uuid],
    );
    expect(rows.map(({ minutes }) => minutes)).toEqual([30]);
    const hex = Buffer.from(address).toString('hex');
    for (const text of [address, hex]) expect(rows[0]?.text).not.toContain(text);
    await db.query(
      `UPDATE opened_imports SET expires_at = now() - interval '1 day' WHERE link_uuid = $1`,
      [uuid],
    );
    await opened(await importLink(), address, safari);
    const left = await db.query('SELECT 1 FROM opened_imports WHERE link_uuid = $1', [uuid]);
    expect(left.rows).toEqual([]);
  });

  it('returns the link to one of fifty concurrent callers', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [uuid, address] = [await importLink(), newAddress()];
      await opened(uuid, address, safari);
      const answers = await Promise.all(Array.from({ length: 50 }, () => given(address, iosApp)));
      expect(answers.filter((link) => link !== null)).toEqual([uuid]);
    }
  });
});
