import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogs } from '../../domain/languages/say.ts';
import {
  desktop,
  expectAccessible,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
} from '../support/browser/browser.ts';
import { askLogin, newAddress, tokenTo } from '../support/people/mailbox.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { baseUrl } = ownPlatform();
let browser: Browser;

describe.skipIf(missing)('the page that a mail links to', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('signs in on a button press, not when opened, and keeps the token hidden', async () => {
    const address = newAddress();
    const { cookie, code } = await askLogin({ email: address });
    expect(cookie).toMatch(/^trustcheck-email=/);
    const token = await tokenTo(address);
    const watched = await openPage(browser, desktop);
    const { page } = watched;
    const requests: string[] = [];
    page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
    await page.goto(`${baseUrl}/email/verify#t=${token}`);
    const button = page.getByRole('button', { name: 'Sign in' });
    await button.waitFor();
    expect(page.url()).toBe(`${baseUrl}/email/verify`);
    expect(requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
    expect(requests.join('\n')).not.toContain(token);
    await expectAccessible(page, 'the page of a mail');
    // This is not the browser that requested the mail, so the page asks for the code.
    await button.click();
    await page.getByText('Type the six digits').waitFor();
    await page.getByLabel('Code').fill(code);
    await page.keyboard.press('Enter');
    await page.getByText('This tab is signed in until').waitFor();
    const kept = await page.evaluate(() => sessionStorage.getItem('trustcheck-session'));
    expect(kept?.split('.')).toHaveLength(3);
  });

  it('explains that a link is used or incomplete', async () => {
    const watched = await openPage(browser, desktop);
    const { page } = watched;
    await page.goto(`${baseUrl}/email/verify#t=${'a'.repeat(43)}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('was used, is too old').waitFor();
    const other = await openPage(browser, desktop);
    await other.page.goto(`${baseUrl}/email/verify`);
    await other.page.getByText('This address is incomplete').waitFor();
    expectQuiet(other, baseUrl);
  });

  it('uses the language of the mail, and keeps it after a reload', async () => {
    const { page } = await openPage(browser, { locale: 'fr' });
    await page.goto(`${baseUrl}/email/verify?locale=ar#t=${'a'.repeat(43)}`);
    const said = catalogs.ar;
    await page.getByRole('button', { name: said['login.act'] }).click();
    await page.getByText(said['email.ended']).waitFor();
    await expectAccessible(page, 'the page of a mail in Arabic', [
      { colorScheme: 'dark', direction: 'rtl' },
    ]);
    await page.reload();
    await page.getByText(said['email.incomplete']).waitFor();
  });

  it('explains what attaching discloses, and shows its token as text only after confirmation', async () => {
    const { page } = await openPage(browser, desktop);
    await page.goto(`${baseUrl}/email/verify#t=%3Cimg%20src=x%3E&p=attach`);
    const button = page.getByRole('button', { name: 'Confirm this address' });
    await button.waitFor();
    await page.getByText('goes to the person who asked').waitFor();
    await expectAccessible(page, 'the page that attaches an address');
    expect(await page.getByText('<img src=x>').count()).toBe(0);
    // A press alone is not enough: the person must first confirm the request.
    await button.click();
    expect(await page.getByText('<img src=x>').count()).toBe(0);
    await page.getByLabel('I asked for this mail myself').check();
    await button.click();
    await page.getByText('<img src=x>').waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await page.getByRole('link').count()).toBe(0);
  });
});
