import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  desktop,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
} from '../support/browser/browser.ts';
import { addressOf, waitForState } from '../support/browser/follow.ts';
import { newLink } from '../support/http/client.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { baseUrl } = ownPlatform();
let browser: Browser;

describe.skipIf(missing)('what a page offers first', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it.each([
    ['on a phone’s screen what opens the app', { viewport: { width: 380, height: 780 } }, true],
    ['on a wider one the code', desktop, false],
  ])('is %s', async (_what, size, isAppFirst) => {
    const address = addressOf(await newLink());
    for (const javaScriptEnabled of [true, false]) {
      const watched = await openPage(browser, { ...size, javaScriptEnabled });
      const { page } = watched;
      await page.goto(address);
      if (javaScriptEnabled) await waitForState(page, 'opened');
      const app = page.getByRole('link', { name: 'Open in Example app' });
      const led = javaScriptEnabled ? /#p=tc_\w+\.[\w-]{22}$/ : /$/;
      expect((await app.getAttribute('href'))?.replace(led, '')).toBe(address);
      const [button, code] = [await app.boundingBox(), await page.locator('#code').boundingBox()];
      if (!button || !code) throw new Error('not to be seen');
      expect(button.y < code.y).toBe(isAppFirst);
      if (isAppFirst) expect(button.y + button.height).toBeLessThan(size.viewport.height);
      expect(await page.locator('#state').innerText()).toMatch(/^Your phone is next/);
      expectQuiet(watched, baseUrl);
      await watched.close();
    }
  });
});
