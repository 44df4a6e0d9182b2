import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  desktop,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
  phone,
} from '../support/browser/browser.ts';
import { addressOf } from '../support/browser/follow.ts';
import { call, clientOf, newLink } from '../support/http/client.ts';
import { newAccount } from '../support/people/accounts.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();
const client = clientOf(own.api_key);
const userAgent = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/153.0.0.0 Mobile Safari/537.36';
const aPhone = { ...phone, isMobile: true, userAgent };
let browser: Browser;

const store = 'https://store.example.test/app';
const installPageOf = (app: string, uuid: string): string =>
  `${store}?link=${encodeURIComponent(`${baseUrl}/v2/${app}/${uuid}`)}`;

/** A link of an app that has an install page. */
async function newLinkOfInstallable(proofs: readonly string[]) {
  const app = `first-action-${process.pid}`;
  const { account_id, admin, api_key: token } = await newAccount(app);
  const body = { install_url: store };
  await clientOf(admin.session_token).apps.update({ account_id, app_id: app, body });
  const made = await call('PUT', `/v2/${app}`, { token, body: { required_proofs: proofs } });
  return { app, uuid: String(made.body['link_uuid']) };
}

describe.skipIf(missing)('the first action of a page', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it.each([
    ['on a computer to continue there', desktop, ['phone'], 'button', 'Continue here'],
    ['on a phone to continue there', aPhone, ['phone'], 'button', 'Continue here'],
    [
      'on a computer to continue on a phone',
      desktop,
      ['device'],
      'button',
      'Continue on your phone',
    ],
  ] as const)(
    'is %s, and opening the page begins nothing',
    async (_what, size, proofs, role, name) => {
      const uuid = await newLink({ required_proofs: [...proofs] });
      const watched = await openPage(browser, size);
      const { page } = watched;
      await page.goto(addressOf(uuid));
      const first = page.getByRole(role, { name });
      await first.waitFor();
      expect(await page.locator('.main').count()).toBe(1);
      expect(await first.getAttribute('class')).toContain('main');
      const box = await first.boundingBox();
      expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(size.viewport.height);
      expect((await client.links.raw({ link_uuid: uuid })).sessions).toEqual([]);
      expect((await client.trustChecks.list({ link_uuid: uuid })).total).toBe(0);
      expectQuiet(watched, baseUrl);
      await watched.close();
    },
  );

  it('opens the app on a phone when the app has an install page', async () => {
    const { app, uuid } = await newLinkOfInstallable(['device']);
    const watched = await openPage(browser, aPhone);
    const { page } = watched;
    await page.goto(`${baseUrl}/v2/${app}/${uuid}?format_type=H`);
    const first = page.locator('.actions .main');
    await first.waitFor();
    expect(await first.innerText()).toBe('Open Example app');
    expect(await first.getAttribute('href')).toBe(installPageOf(app, uuid));
    expect(await page.locator('.actions > *').count()).toBe(1);
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it.each([
    ['requires a device proof', { required_proofs: ['device'] }],
    ['cannot end in a browser', { policy: { web_allowed: false } }],
  ] as const)(
    'is text on where to get the app on a phone, for a check that %s without an install page',
    async (_, body) => {
      const watched = await openPage(browser, aPhone);
      const { page } = watched;
      await page.goto(addressOf(await newLink(body)));
      const words = page.getByText(
        'This check needs the app Example app. Get the app from Example',
      );
      await words.waitFor();
      expect(await words.innerText()).toContain('then open this link again with it.');
      expect(await page.locator('.main, .actions > *').count()).toBe(0);
      expectQuiet(watched, baseUrl);
      await watched.close();
    },
  );
});

describe.skipIf(missing)('a page without script on a phone', () => {
  const withoutScript = { ...aPhone, javaScriptEnabled: false };
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it.each([
    ['the link on another device', ['phone'], 1, 'You can also open your link on another device.'],
    ['where to get the app', ['device'], 0, 'Get the app from Example account'],
  ] as const)('shows %s, and no code to scan', async (_what, proofs, notes, words) => {
    const { page, close } = await openPage(browser, withoutScript);
    await page.goto(addressOf(await newLink({ required_proofs: [...proofs] })));
    expect(await page.locator('body').innerText()).toContain(words);
    expect(await page.locator('#code').count()).toBe(0);
    expect(await page.locator('.script').count()).toBe(notes);
    await close();
  });
});
