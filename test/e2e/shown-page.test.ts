import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  desktop,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
} from '../support/browser/browser.ts';
import {
  addressOf,
  addressOfSession,
  beginOnPhone,
  waitForScreen,
  waitForState,
} from '../support/browser/follow.ts';
import { clientOf, newLink } from '../support/http/client.ts';
import { eventually } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();
const client = clientOf(own.api_key);
let browser: Browser;

describe.skipIf(missing)('the page of a check in another browser', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('continues by the address of the session, and begins anew after its end', async () => {
    const uuid = await newLink();
    const one = await openPage(browser, desktop);
    await one.page.goto(addressOf(uuid));
    const led = await addressOfSession(one.page, () => beginOnPhone(one.page));
    expect(led).toContain('#p=tc_');
    const other = await openPage(browser, desktop);
    await other.page.goto(led);
    await other.page.getByRole('button', { name: 'Continue on this device' }).click();
    await waitForScreen(other.page, 'consent');
    const idOf = ({ page }: typeof one) => page.locator('#reference code').innerText();
    const id = await idOf(one);
    expect(await idOf(other)).toBe(id);
    expect(new URL(other.page.url()).hash).toBe('');
    await client.trustChecks.cancel({ id, body: {} });
    await waitForState(other.page, 'canceled');
    await other.page.getByRole('button', { name: 'Begin again' }).click();
    await waitForScreen(other.page, 'consent');
    expect(await idOf(other)).not.toBe(id);
    expectQuiet(other, baseUrl);
    await Promise.all([one.close(), other.close()]);
  });
});

describe.skipIf(missing)('the page of a single-use link after a reload', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('resumes with the stored token when the check token has expired', async () => {
    const uuid = await newLink({ single_use: true });
    const watched = await openPage(browser);
    const { page } = watched;
    await page.goto(addressOf(uuid));
    await beginOnPhone(page);
    const id = await page.locator('#reference code').innerText();
    await page.evaluate(`{
      const name = 'check/${uuid}';
      const kept = JSON.parse(localStorage.getItem(name));
      const session = { ...kept.session, token: 'ended' };
      localStorage.setItem(name, JSON.stringify({ session }));
    }`);
    await page.reload();
    await waitForState(page, 'opened');
    expect(await page.locator('#reference code').innerText()).toBe(id);
    expect((await client.trustChecks.list({ link_uuid: uuid })).total).toBe(1);
    await watched.close();
  });

  it('begins one session when it is reloaded before its begin is answered', async () => {
    const uuid = await newLink({ single_use: true });
    const watched = await openPage(browser);
    const { page } = watched;
    let isLost = true;
    await page.route('**/v2/trust-checks', async (route) => {
      const response = await route.fetch();
      if (!isLost) return route.fulfill({ response });
      isLost = false;
      // The service has begun the session, but the page does not receive the answer.
      return new Promise<void>(() => undefined);
    });
    await page.goto(addressOf(uuid));
    await page.getByRole('button', { name: 'Continue on your phone' }).click();
    await eventually('the session', async () => {
      const { total } = await client.trustChecks.list({ link_uuid: uuid });
      return total === 1 && !isLost;
    });
    await page.reload();
    await beginOnPhone(page);
    expect((await client.trustChecks.list({ link_uuid: uuid })).total).toBe(1);
    await watched.close();
  });
});
