import { afterAll, describe, expect, it } from 'vitest';
import { call, newLink } from '../../../support/http/client.ts';
import { newAccount } from '../../../support/people/accounts.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, foreign, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const iphone = {
  ...html,
  'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148',
};

describe('a success page', () => {
  it('is JSON, SVG or HTML by format_type and by Accept', async () => {
    const uuid = await newLink({ title: 'not told here' });
    for (const path of [`/success/${uuid}`, `/success/by-app/${own.app_id}`]) {
      const answers = [
        await call('GET', path, { headers: { accept: 'application/json' } }),
        await call('GET', `${path}?format_type=J`, { headers: html }),
        await call('GET', path, { headers: { accept: 'image/avif,image/*' } }),
        await call('GET', path, { headers: { ...html, 'sec-fetch-dest': 'image' } }),
        await call('GET', `${path}?format_type=S`),
        await call('GET', path, { headers: html }),
        await call('GET', path, { headers: iphone }),
        await call('GET', `${path}?format_type=H`, { headers: { accept: 'application/json' } }),
      ];
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(answers.map(({ headers }) => headers.get('content-type')?.split(/[/;+]/)[1])).toEqual([
        'json',
        'json',
        'svg',
        'svg',
        'svg',
        'html',
        'html',
        'html',
      ]);
      for (const { headers, text } of answers) {
        expect(text).not.toContain('not told here');
        expect(headers.get('cache-control')).toBe('no-store');
        expect(headers.get('referrer-policy')).toBe('no-referrer');
        expect(headers.get('vary')).toContain('Accept');
      }
    }
  });

  it('names app and requester, and the state of a link', async () => {
    const uuid = await newLink({ matching_params: { full_name: 'Anna Specimen' } });
    const ofLink = await call('GET', `/success/${uuid}?app_id=${own.app_id}&format_type=J`);
    const ofApp = await call('GET', `/success/by-app/${own.app_id}?format_type=J`);
    const preview = await call('GET', `/v2/${uuid}?format_type=J`);
    // Pages of other origins may request a preview, so it also varies by Origin.
    expect([preview, ofLink].map(({ headers }) => headers.get('vary'))).toEqual([
      'Origin, Accept, Attest, Sec-Fetch-Dest, Accept-Language, Sec-CH-UA-Mobile, User-Agent',
      'Accept, Attest, Sec-Fetch-Dest, Accept-Language',
    ]);
    const app = preview.body['app'] as Record<string, unknown>;
    const common = {
      app: { app_id: app['app_id'], name: app['name'], logo_url: app['logo_url'] },
      requester: preview.body['requester'],
    };
    expect(ofLink.body).toEqual({ ...common, link_uuid: uuid, status: 'active' });
    expect(ofApp.body).toEqual({ ...common, link_uuid: null, status: null });
  });

  it('changes nothing, and is the same for a link that is not active', async () => {
    const uuid = await newLink();
    await call('PATCH', `/v2/${uuid}`, { token: own.api_key, body: { paused: true } });
    const before = await call('GET', `/v2/raw/${uuid}`, { token: own.api_key });
    const page = await call('GET', `/success/${uuid}`, { headers: html });
    expect([page.status, page.text.includes('You are done')]).toEqual([200, true]);
    expect((await call('GET', `/v2/raw/${uuid}`, { token: own.api_key })).body).toEqual(
      before.body,
    );
  });

  it('returns 404 if the link or app is unknown, deleted, archived or foreign', async () => {
    const uuid = await newLink();
    const gone = await newLink();
    await call('DELETE', `/v2/${gone}`, { token: own.api_key });
    const other = await newAccount(`archived-${process.pid}`);
    await db.query(`UPDATE apps SET status = 'archived' WHERE app_id = $1`, [other.app_id]);
    for (const path of [
      '/success/none',
      '/success/by-app',
      `/success/${gone}`,
      `/success/${uuid}?app_id=${foreign.app_id}`,
      '/success/by-app/none',
      `/success/by-app/${other.app_id}`,
    ]) {
      const { status, body } = await call('GET', path);
      expect([status, body['code']], path).toEqual([404, 'not_found']);
    }
    for (const path of [`/success/${uuid}?format_type=X`, '/success/by-app/A', '/success/%20']) {
      expect((await call('GET', path)).status, path).toBe(422);
    }
  });

  it('shows names as text, whatever they contain', async () => {
    const account = await newAccount(`named-${process.pid}`);
    const name = `</title><script>alert(1)</script>"onload='x'&amp;\u0001`;
    await db.query('UPDATE accounts SET name = $2 WHERE account_id = $1', [
      account.account_id,
      name,
    ]);
    await db.query('UPDATE apps SET name = $2 WHERE app_id = $1', [account.app_id, name]);
    for (const format of ['H', 'S']) {
      const path = `/success/by-app/${account.app_id}?format_type=${format}`;
      const { text, headers } = await call('GET', path);
      expect(text).toContain('&lt;script&gt;');
      for (const live of ['<script', "onload='", '\u0001']) expect(text).not.toContain(live);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|\*/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      if (format === 'S') expect(policy).toContain('sandbox');
    }
  });
});
