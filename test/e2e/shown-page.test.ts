import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf, newLink } from '../client.ts';
import { ownPlatform } from '../own-platform.ts';
import { desktop, expectQuiet, missing, openBrowser, openPage } from './browser.ts';
import { addressOf, waitForState } from './follow.ts';

const { baseUrl, own } = ownPlatform();
const client = clientOf(own.api_key);
let browser: Browser;

describe.skipIf(missing)('the page of a check that was shown elsewhere', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('goes on in another browser by its own address, and begins anew after its end', async () => {
    const uuid = await newLink();
    const one = await openPage(browser, desktop);
    await one.page.goto(addressOf(uuid));
    await waitForState(one.page, 'opened');
    const led = (await one.page.locator('#app').getAttribute('href')) ?? '';
    expect(led).toContain('#p=tc_');
    const other = await openPage(browser, desktop);
    await other.page.goto(led);
    await waitForState(other.page, 'opened');
    const idOf = ({ page }: typeof one) => page.locator('#reference code').innerText();
    const id = await idOf(one);
    expect(await idOf(other)).toBe(id);
    expect(new URL(other.page.url()).hash).toBe('');
    await client.trustChecks.cancel({ id, body: {} });
    await waitForState(other.page, 'canceled');
    await other.page.getByRole('button', { name: 'Begin again' }).click();
    await waitForState(other.page, 'opened');
    expect(await idOf(other)).not.toBe(id);
    expectQuiet(other, baseUrl);
    await Promise.all([one.close(), other.close()]);
  });
});
