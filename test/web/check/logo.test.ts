import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import {
  desktop,
  expectAccessible,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
  phone,
} from '../../support/browser/browser.ts';
import { waitForScreen } from '../../support/browser/follow.ts';
import { withMouse } from '../../support/browser/person.ts';
import { call } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startLogoServer } from '../../support/stand-ins/logo-server.ts';

const { baseUrl } = ownPlatform();
let browser: Browser;
let account: Seed;
let link: string;
let asker: string;

describe.skipIf(missing)('the logo of an app', () => {
  beforeAll(async () => {
    browser = await openBrowser();
    account = await newAccount(`shown-logo-${process.pid}`);
    const { api_key: token, account_id, app_id } = account;
    const logos = await startLogoServer();
    const changed = await call('PATCH', `/v2/accounts/${account_id}/apps/${app_id}`, {
      token,
      body: { name: 'Example shop', logo_url: `${logos.url}/wide.png` },
    });
    expect(changed.status).toBe(200);
    // From now on only the service can serve the logo.
    await logos.stop();
    const body = { required_proofs: ['phone'] };
    const made = await call('PUT', `/v2/link/${app_id}`, { token, body });
    link = String(made.body['link_uuid']);
    const { body: preview } = await call('GET', `/v2/${link}?format_type=J`);
    asker = (preview['requester'] as { account_name: string }).account_name;
  });
  afterAll(() => browser.close());

  /** Returns the logo beside the name of the app with its size; null while it is not loaded. */
  const logoOf = (page: Page) =>
    page.evaluate<unknown>(`(() => {
      const image = document.querySelector('.asker > img');
      if (!image || !image.complete || image.naturalWidth === 0) return null;
      const { width, height } = image.getBoundingClientRect();
      const [name, asks] = document.querySelectorAll('.asker p > *');
      return {
        alt: image.alt,
        natural: [image.naturalWidth, image.naturalHeight],
        shown: [width, height],
        name: name.textContent,
        asks: asks.textContent.includes(${JSON.stringify(asker)}),
      };
    })()`);

  const shown = {
    alt: '',
    natural: [256, 85],
    shown: [44, 44],
    name: 'Example shop',
    asks: true,
  };

  it.each([
    ['wide', desktop],
    ['narrow', phone],
  ])(
    'is on the page of a check without a request to another origin, %s',
    async (_width, options) => {
      const watched = await openPage(browser, options);
      const { page } = watched;
      await page.goto(`${baseUrl}/v2/${link}`);
      await waitForScreen(page, 'welcome');
      await expect.poll(() => logoOf(page)).toEqual(shown);
      await expectAccessible(page, 'a page with a logo');
      expect(watched.requests.filter((url) => url.includes('/logos/'))).toHaveLength(1);
      expectQuiet(watched, baseUrl);
      await watched.close();
    },
  );

  it('stays while the check continues', async () => {
    const watched = await openPage(browser);
    await watched.page.goto(`${baseUrl}/v2/${link}`);
    await withMouse(watched.page).press('check.welcome.here');
    await waitForScreen(watched.page, 'consent');
    expect(await logoOf(watched.page)).toEqual(shown);
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('is on the success page, with the name of the app in the title', async () => {
    const watched = await openPage(browser);
    await watched.page.goto(`${baseUrl}/success/by-app/${account.app_id}?format_type=H`);
    await expect.poll(() => logoOf(watched.page)).toEqual(shown);
    expect(await watched.page.title()).toBe('You are done · Example shop');
    await expectAccessible(watched.page, 'a success page with a logo');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });
});
