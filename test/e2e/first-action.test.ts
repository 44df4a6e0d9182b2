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
import { clientOf, newLink } from '../support/http/client.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();
const client = clientOf(own.api_key);
const userAgent = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/153.0.0.0 Mobile Safari/537.36';
const aPhone = { ...phone, isMobile: true, userAgent };
let browser: Browser;

describe.skipIf(missing)('what a page offers first', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it.each([
    ['on a computer to continue there', desktop, ['phone'], 'button', 'Continue here'],
    ['on a phone to continue there', aPhone, ['phone'], 'button', 'Continue here'],
    ['on a computer the way to a phone', desktop, ['device'], 'button', 'Continue on your phone'],
    ['on a phone the app', aPhone, ['device'], 'link', 'Open Example app'],
  ] as const)('is %s, and nothing begins by looking', async (_what, size, proofs, role, name) => {
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
  });
});
