import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { specimenNames } from '../../../api/links/visitor/pages/specimens.ts';
import { catalogs } from '../../../domain/languages/say.ts';
import { missing, openBrowser, openPage } from '../../support/browser/browser.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, own, foreign } = ownPlatform();
const appId = `preview-${process.pid}-${Date.now()}`;
const app = `/v2/accounts/${own.account_id}/apps/${appId}`;
const show = (query = '', token: string | null = own.api_key): Promise<Answer> =>
  call('GET', `${app}/preview${query}`, token === null ? {} : { token });

beforeAll(async () => {
  const body = {
    name: 'Preview & Co',
    kind: 'portal',
    brand_color: '#334455',
    support_email: 'help@example.test',
    tos_url: 'https://example.test/terms',
  };
  expect((await call('PUT', app, { token: own.api_key, body })).status).toBe(201);
});

describe('the preview of an app', () => {
  it('shows every screen with the branding of the app and without scripts', async () => {
    for (const screen of specimenNames) {
      const { status, headers, text } = await show(`?screen=${screen}`);
      expect([screen, status, headers.get('content-type')]).toEqual([
        screen,
        200,
        'text/html; charset=utf-8',
      ]);
      for (const shown of ['Preview &amp; Co', '#334455', 'help@example.test', 'data-screen="']) {
        expect(text, screen).toContain(shown);
      }
      expect(text, screen).not.toContain('<script');
    }
  });

  it('has a strict content security policy and can be framed only by this service', async () => {
    const { headers } = await show();
    const policy = headers.get('content-security-policy')?.split('; ') ?? [];
    expect(policy.map((each) => each.replace(/'sha256-[^']+'/, 'HASH'))).toEqual([
      "default-src 'none'",
      'style-src HASH',
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      'sandbox',
      "frame-ancestors 'self'",
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('accepts a locale and a color that is not saved', async () => {
    const { text } = await show('?screen=consent&locale=ar&brand_color=%23112233');
    expect(text).toContain('<html lang="ar" dir="rtl">');
    expect(text).toContain(`<bdi>${catalogs.ar['check.consent.title']}</bdi></h1>`);
    expect(text).toContain('--brand:#112233;');
    const { body } = await call('GET', app, { token: own.api_key });
    expect(body['brand_color']).toBe('#334455');
  });

  it.each([
    ['screen', 'nothing'],
    ['screen', ''],
    ['locale', 'zz'],
    ['locale', 'AR'],
    ['brand_color', 'red'],
    ['brand_color', '%23fff'],
    ['brand_color', '%23112233;}'],
    ['more', '1'],
  ])('refuses %s=%s', async (name, value) => {
    const { status, body } = await show(`?${name}=${value}`);
    expect(status).toBe(422);
    expect(body['detail']).toMatchObject([{ loc: ['query', name] }]);
  });

  it('requires a reader of the account', async () => {
    expect((await show('', null)).status).toBe(401);
    const refused = await show('', foreign.api_key);
    expect([refused.status, refused.body['code']]).toEqual([404, 'not_found']);
    const token = own.api_key;
    const other = await call('GET', `${app.replace(appId, foreign.app_id)}/preview`, { token });
    expect([other.status, other.body['code']]).toEqual([404, 'not_found']);
  });
});

describe.skipIf(missing)('the preview of an app in a frame of this service', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('is displayed, and its links and forms have no effect', async () => {
    const { page, context, requests, close } = await openPage(browser);
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${own.api_key}` });
    const console = `<iframe width="390" height="900" src="${app}/preview?screen=phone"></iframe>`;
    await page.route('**/console', (route) =>
      route.fulfill({ contentType: 'text/html', body: console }),
    );
    await page.goto(`${baseUrl}/console`);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: catalogs.en['check.phone.title'] }).waitFor();
    const { length } = requests;
    await frame.getByRole('link', { name: 'help@example.test' }).click();
    await frame.getByRole('link', { name: 'Terms of Preview & Co' }).click();
    await frame.getByText('Language').click();
    await frame.getByRole('link', { name: 'Deutsch' }).click();
    await frame.locator('[name="phone_number"]').fill('123');
    await frame.getByRole('button', { name: catalogs.en['check.phone.send'] }).click();
    await frame.getByRole('heading', { name: catalogs.en['check.phone.title'] }).waitFor();
    expect([requests.slice(length), context.pages().length]).toEqual([[], 1]);
    await close();
  });
});
