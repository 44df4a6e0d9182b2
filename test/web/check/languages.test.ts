import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { directionOf, languages } from '../../../domain/languages/languages.ts';
import { catalogs } from '../../../domain/languages/say.ts';
import {
  expectAccessible,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
} from '../../support/browser/browser.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { call, newLink } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl } = ownPlatform();
const asked = async (path: string, wanted?: string): Promise<string> => {
  const headers = { accept: 'text/html', ...(wanted ? { 'accept-language': wanted } : {}) };
  const { status, text } = await call('GET', path, { headers });
  expect(status).toBe(200);
  return /<html lang="(\w+)"/.exec(text)?.[1] ?? 'none';
};

describe('the language of the page of a link', () => {
  it.each(languages)('%s is rendered by the server in its text direction', async (language) => {
    const path = new URL(addressOf(await newLink())).pathname;
    const { text } = await call('GET', `${path}?format_type=H&locale=${language}`);
    expect(text).toContain(`<html lang="${language}" dir="${directionOf(language)}">`);
    expect(text).toContain(`<bdi>${catalogs[language]['check.welcome.title']}</bdi></h1>`);
  });

  it('comes from the address, then the link, then the browser, else is English', async () => {
    const path = new URL(addressOf(await newLink())).pathname;
    const german = new URL(addressOf(await newLink({ locale: 'de' }))).pathname;
    expect(await asked(path)).toBe('en');
    expect(await asked(path, 'xx, pl;q=0.4, tr;q=0.9')).toBe('tr');
    expect(await asked(german, 'tr')).toBe('de');
    expect(await asked(`${german}?locale=he`, 'tr')).toBe('he');
    for (const unknown of ['zz', '-', '%22%3E', '*']) {
      expect(await asked(`${path}?locale=${unknown}`)).toBe('en');
      expect(await asked(`${path}?locale=${unknown}`, 'tr')).toBe(unknown === '*' ? 'en' : 'tr');
    }
  });
});

describe.skipIf(missing)('the page in another language', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('keeps its session after a switch of language, and works by keyboard alone', async () => {
    const watched = await openPage(browser);
    const { page } = watched;
    await page.goto(addressOf(await newLink()));
    await page.getByText('Language').click();
    await page.getByRole('link', { name: 'العربية' }).click();
    const said = catalogs.ar;
    const begin = page.getByRole('button', { name: said['check.welcome.here'] });
    await begin.focus();
    await page.keyboard.press('Enter');
    await waitForScreen(page, 'consent');
    const reference = await page.locator('#reference code').innerText();
    await expectAccessible(page, 'consent in Arabic', [{ colorScheme: 'dark', direction: 'rtl' }]);
    // The title has the focus: the next stop is the first control.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await waitForScreen(page, 'phone');
    await page.reload();
    await waitForScreen(page, 'phone');
    expect(await page.locator('#reference code').innerText()).toBe(reference);
    expect(await page.locator('html').getAttribute('lang')).toBe('ar');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });
});
