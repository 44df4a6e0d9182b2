import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expectAccessible,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
} from '../../support/browser/browser.ts';
import { waitForScreen } from '../../support/browser/follow.ts';
import { call } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();

/** Creates an app with a link, and returns the address of the link. */
async function linkOfApp(app: Record<string, unknown>): Promise<string> {
  const id = `app-${randomUUID().slice(0, 8)}`;
  const body = { name: 'Branded app', kind: 'sdk', default_proofs: ['phone'], ...app };
  const token = own.api_key;
  const made = await call('PUT', `/v2/accounts/${own.account_id}/apps/${id}`, { token, body });
  expect(made.status).toBe(201);
  const link = await call('PUT', `/v2/link/${id}`, { token, body: {} });
  return `${baseUrl}/v2/${id}/${String(link.body['link_uuid'])}`;
}

/** Presses a button as soon as it appears, because a busy test would miss the countdown. */
const pressWhenShown = `(text) => {
  new MutationObserver(() => {
    const buttons = [...document.querySelectorAll('button')];
    const found = buttons.find((button) => button.textContent === text);
    if (!found) return;
    found.click();
    document.documentElement.dataset.pressed = 'true';
  }).observe(document, { subtree: true, childList: true });
}`;

async function refuse(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('button', { name: 'Continue here' }).click();
  await waitForScreen(page, 'consent');
  await page.getByRole('button', { name: 'I refuse' }).click();
  await waitForScreen(page, 'declined');
}

describe.skipIf(missing)('the redirect at the end of a check', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('is a button that leads to the success page of the app', async () => {
    const watched = await openPage(browser);
    const { page } = watched;
    await refuse(page, await linkOfApp({ name: 'Branded app' }));
    await expectAccessible(page, 'the end of a check with a way on');
    await page.getByRole('link', { name: 'Continue to Branded app' }).click();
    await page.waitForURL(`${baseUrl}/success/by-app/**`);
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('happens automatically when the app sets it, unless the person stays', async () => {
    const watched = await openPage(browser);
    const { page } = watched;
    const address = await linkOfApp({ auto_redirect: true });
    await refuse(page, address);
    await page.waitForURL(`${baseUrl}/success/by-app/**`);
    await page.addInitScript(`(${pressWhenShown})('Stay on this page')`);
    await refuse(page, await linkOfApp({ auto_redirect: true }));
    await page.locator('[data-pressed]').waitFor({ state: 'attached' });
    await page.getByText(/opens Branded app in/).waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Continue to Branded app' }).waitFor();
    await watched.close();
  });

  it.each([
    ['#ffe000', 'rgb(255, 224, 0)', 'rgb(0, 0, 0)'],
    ['#7a0026', 'rgb(122, 0, 38)', 'rgb(255, 255, 255)'],
  ])(
    'shows buttons in the color %s of the app, and its support links',
    async (color, ...colors) => {
      const watched = await openPage(browser);
      const { page } = watched;
      const address = await linkOfApp({
        brand_color: color,
        support_email: 'help@example.test',
        support_url: 'https://example.test/help',
      });
      await page.goto(address);
      const shown = await page.evaluate(`{
      const style = getComputedStyle(document.querySelector('.main'));
      [style.backgroundColor, style.color];
    }`);
      expect(shown).toEqual(colors);
      await expectAccessible(page, `a page with the color ${color}`);
      const support = page.locator('#support a');
      expect(
        await support.evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
      ).toEqual(['https://example.test/help', 'mailto:help@example.test']);
      expectQuiet(watched, baseUrl);
      await watched.close();
    },
  );
});
