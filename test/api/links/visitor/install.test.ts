import { beforeAll, describe, expect, it } from 'vitest';
import { call, clientOf, newLink } from '../../../support/http/client.ts';
import { newAccount } from '../../../support/people/accounts.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, baseUrl } = ownPlatform();
const app = `install-${process.pid}`;
const install = 'https://store.example.test/app?id=7&lang=de#get';
const html = 'text/html,application/xhtml+xml,*/*;q=0.8';
const chrome = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/140.0.0.0';
const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148';
const desktop = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36';
let [uuid, appUrl, token] = ['', '', ''];

beforeAll(async () => {
  const account = await newAccount(app);
  token = account.api_key;
  await clientOf(account.admin.session_token).apps.update({
    account_id: account.account_id,
    app_id: app,
    body: { install_url: install },
  });
  const made = await call('PUT', `/v2/${app}`, { token, body: {} });
  uuid = String(made.body['link_uuid']);
  const target = new URL(install);
  target.searchParams.set('link', `${baseUrl}/v2/${app}/${uuid}`);
  appUrl = target.href;
});

const places = () => [`/v2/${app}/${uuid}`, `/v2/${uuid}`, `/v2/preview/A/${app}/${uuid}`];
const open = async (path: string, headers: Record<string, string>) => {
  const answer = await call('GET', path, { headers: { accept: html, ...headers } });
  const { status, headers: got } = answer;
  return [status, got.get('location') ?? got.get('content-type')?.split(';')[0]];
};

describe('a link of an app with an install_url', () => {
  it.each<[string, Record<string, string>]>([
    ['an iPhone', { 'user-agent': iphone }],
    ['an Android phone', { 'user-agent': `${chrome} Mobile Safari/537.36` }],
    ['a phone by its hint', { 'user-agent': desktop, 'sec-ch-ua-mobile': '?1' }],
    ['a crawler that comes as a phone', { 'user-agent': `${chrome} Mobile (compatible; bot/2.1)` }],
  ])('redirects %s to the install_url, at every path', async (_name, headers) => {
    for (const path of places()) {
      const answer = await call('GET', path, { headers: { accept: html, ...headers } });
      expect([answer.status, answer.headers.get('location')]).toEqual([302, appUrl]);
      // The URL contains the link, so it is neither cached nor sent as a referrer.
      const kept = ['cache-control', 'referrer-policy'].map((name) => answer.headers.get(name));
      expect(kept).toEqual(['no-store', 'no-referrer']);
      expect(answer.headers.get('vary')).toContain('Sec-CH-UA-Mobile, User-Agent');
    }
    const found = new URL(appUrl);
    expect([found.searchParams.get('id'), found.hash]).toEqual(['7', '#get']);
  });

  it.each<[string, Record<string, string>]>([
    ['a desktop', { 'user-agent': desktop }],
    ['a phone whose hint says that it is none', { 'user-agent': iphone, 'sec-ch-ua-mobile': '?0' }],
    ['a tablet', { 'user-agent': `${chrome} Safari/537.36` }],
    ['what draws previews in chats', { 'user-agent': 'Slackbot-LinkExpanding 1.0' }],
    ['who tells nothing', { 'user-agent': '' }],
  ])('shows the page to %s', async (_name, headers) => {
    for (const path of places()) expect(await open(path, headers)).toEqual([200, 'text/html']);
  });

  it('returns page, details or card if the phone requests them', async () => {
    const headers = { 'user-agent': iphone };
    const [path = ''] = places();
    const asked: [string, Record<string, string>, string][] = [
      [`${path}?format_type=H`, headers, 'text/html'],
      [`${path}?format_type=J`, headers, 'application/json'],
      [`/v2/preview/S/${app}/${uuid}`, headers, 'image/svg+xml'],
      [path, { ...headers, attest: 'of the app' }, 'application/json'],
      [path, { ...headers, accept: 'application/json' }, 'application/json'],
      [path, { ...headers, accept: 'image/svg+xml' }, 'image/svg+xml'],
      [path, { ...headers, 'sec-fetch-dest': 'image' }, 'image/svg+xml'],
    ];
    for (const [at, more, type] of asked) expect(await open(at, more)).toEqual([200, type]);
  });

  it('redirects a phone even for a check that its browser could finish', async () => {
    const body = { required_proofs: ['phone'], policy: { web_allowed: true } };
    const made = await call('PUT', `/v2/${app}`, { token, body });
    const path = `/v2/${app}/${String(made.body['link_uuid'])}`;
    const [status, to] = await open(path, { 'user-agent': iphone });
    expect([status, to]).toEqual([302, expect.stringContaining('https://store.example.test/app?')]);
    const asked = await open(`${path}?format_type=H`, { 'user-agent': iphone });
    expect(asked).toEqual([200, 'text/html']);
  });

  it('redirects HEAD like GET', async () => {
    const headers = { accept: html, 'user-agent': iphone };
    const at = `${baseUrl}/v2/${uuid}`;
    const head = await fetch(at, { method: 'HEAD', headers, redirect: 'manual' });
    expect([head.status, head.headers.get('location')]).toEqual([302, appUrl]);
  });
});

it('a link shows its page on a phone if the app has no install_url', async () => {
  const path = `/v2/${own.app_id}/${await newLink()}`;
  expect(await open(path, { 'user-agent': iphone })).toEqual([200, 'text/html']);
});
