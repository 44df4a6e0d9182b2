import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Language } from '../../../domain/languages/languages.ts';
import { say } from '../../../domain/languages/say.ts';
import {
  expectAccessible,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
  sideways,
  type WatchedPage,
} from '../../support/browser/browser.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { display, frameOf, linkFor, resultOf, startHost } from '../../support/browser/host-page.ts';
import { withKeyboard, withMouse } from '../../support/browser/person.ts';
import { newLink } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl } = ownPlatform();

const isOpen = (page: Page): Promise<boolean> => page.locator('[popover]').isVisible();
const listed = (page: Page): Promise<string[]> => page.locator('[popover] li').allInnerTexts();
/** Returns the chosen country, without the direction mark before its calling code. */
const chosen = async (page: Page): Promise<string> =>
  (await page.locator('.field span').innerText()).replace('\u200e', '');
const hasFocus = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate<boolean>(`document.activeElement.matches('${selector}')`);

async function openList(page: Page): Promise<void> {
  await page.locator('.field').click();
  await page.locator('[type="search"]:focus').waitFor();
}

describe.skipIf(missing)('the country of a phone number', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  async function atPhone(language: Language = 'en', locale = 'en-US'): Promise<WatchedPage> {
    const watched = await openPage(browser, { locale, viewport: { width: 1280, height: 900 } });
    const person = withMouse(watched.page, language);
    await watched.page.goto(addressOf(await newLink({ locale: language })));
    await person.press('check.welcome.here');
    await waitForScreen(watched.page, 'consent');
    await person.press('check.consent.agree');
    await waitForScreen(watched.page, 'phone');
    return watched;
  }

  it('is found by part of its name, its ISO code or its calling code', async () => {
    const watched = await atPhone();
    const { page } = watched;
    await expect.poll(() => chosen(page)).toBe('United States (+1)');
    await openList(page);
    expect((await listed(page)).length).toBeGreaterThan(200);
    const search = page.getByRole('searchbox', { name: say('en', 'check.phone.search') });
    const findsFirst = async (sought: string, name: string): Promise<void> => {
      await search.fill(sought);
      expect((await listed(page))[0], sought).toContain(name);
    };
    for (const [sought, name] of [
      ['erman', 'Germany'],
      ['de', 'Germany'],
      ['DE', 'Germany'],
      ['49', 'Germany'],
      ['+49', 'Germany'],
      ['cote d’ivoire', 'Côte d’Ivoire'],
      ["COTE D'I", 'Côte d’Ivoire'],
      ['guinea bissau', 'Guinea-Bissau'],
      ['ＪＰ', 'Japan'],
      ['0049', 'Germany'],
      ['٤٩', 'Germany'],
      ['UK', 'United Kingdom'],
      ['usa', 'United States'],
    ] as const) {
      await findsFirst(sought, name);
    }
    await search.fill('+49');
    expect(await listed(page)).toHaveLength(1);
    expect(await page.locator('[popover] [role="status"]').innerText()).toBe('');
    await search.fill('Atlantis');
    expect(await listed(page)).toEqual([]);
    const none = page.getByRole('status').filter({ hasText: say('en', 'check.phone.none') });
    expect(await none.isVisible()).toBe(true);
    await search.press('Enter');
    await expect.poll(() => isOpen(page)).toBe(true);
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it.each([
    ['pl', 'wlochy', 'Włochy'],
    ['pl', 'WŁOCHY', 'Włochy'],
    ['tr', 'kibris', 'Kıbrıs'],
    ['ar', 'المانيا', 'ألمانيا'],
    ['ja', 'ドイツ', 'ドイツ'],
  ] as const)('is found in a list in %s by typing %s', async (language, sought, name) => {
    const { page, close } = await atPhone(language);
    await openList(page);
    await page.locator('[type="search"]').fill(sought);
    expect((await listed(page))[0]).toContain(name);
    await close();
  });

  it('is sent as chosen, and the field gets the focus back', async () => {
    const { page, close } = await atPhone();
    const person = withMouse(page);
    await openList(page);
    const current = page.locator('[popover] [aria-current="true"]');
    expect(await current.innerText()).toContain('United States');
    await page.keyboard.press('Escape');
    await person.choose('check.phone.country', 'france');
    await expect.poll(() => isOpen(page)).toBe(false);
    await expect.poll(() => hasFocus(page, '.field')).toBe(true);
    await expect.poll(() => chosen(page)).toBe('France (+33)');
    await openList(page);
    expect(await current.innerText()).toContain('France');
    // The list forgets the previous search.
    expect((await listed(page)).length).toBeGreaterThan(200);
    await page.mouse.click(5, 5);
    await expect.poll(() => isOpen(page)).toBe(false);
    await person.type('check.phone.number', '06 12 34 56 78');
    const sent = page.waitForRequest((request) => request.url().endsWith('/phone/code'));
    await person.press('check.phone.send');
    expect((await sent).postDataJSON()).toEqual({
      phone_number: '06 12 34 56 78',
      country: 'FR',
    });
    await close();
  });

  it('is chosen by keyboard alone, without submitting the form', async () => {
    const watched = await atPhone();
    const { page } = watched;
    const person = withKeyboard(page, page.mainFrame(), 'en');
    await person.choose('check.phone.country', '+49');
    await expect.poll(() => chosen(page)).toBe('Germany (+49)');
    await expect.poll(() => isOpen(page)).toBe(false);
    await expect.poll(() => hasFocus(page, '.field')).toBe(true);
    await page.keyboard.press('Enter');
    await page.locator('[type="search"]:focus').waitFor();
    await page.keyboard.type('au');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => hasFocus(page, '[type="search"]')).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const second = (await listed(page))[1]?.replace('\u200e', '');
    await page.keyboard.press('Enter');
    await expect.poll(() => chosen(page)).toBe(second);
    await page.keyboard.press('Enter');
    await page.locator('[type="search"]:focus').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => isOpen(page)).toBe(false);
    await expect.poll(() => hasFocus(page, '.field')).toBe(true);
    expect(watched.requests.filter((url) => url.endsWith('/phone/code'))).toEqual([]);
    await waitForScreen(page, 'phone');
    await watched.close();
  });

  it('follows the calling code of a number that only one country has', async () => {
    const { page, close } = await atPhone();
    const person = withMouse(page);
    const after = async (number: string): Promise<string> => {
      await person.type('check.phone.number', number);
      return chosen(page);
    };
    expect(await after('+4')).toBe('United States (+1)');
    expect(await after('+49 151')).toBe('Germany (+49)');
    expect(await after('(+33) 6')).toBe('France (+33)');
    // Several countries share these calling codes.
    expect(await after('+1 204')).toBe('France (+33)');
    await person.choose('check.phone.country', 'CA');
    expect(await after('+1 2045')).toBe('Canada (+1)');
    expect(await after('0049 151')).toBe('Canada (+1)');
    await close();
  });

  it.each([
    ['en', 'light', 'ltr'],
    ['de', 'dark', 'ltr'],
    ['ar', 'light', 'rtl'],
  ] as const)('has an accessible list in %s, %s', async (language, colorScheme, direction) => {
    const { page, close } = await atPhone(language);
    await page.setViewportSize({ width: 640, height: 450 });
    await openList(page);
    await expectAccessible(page, 'the open list', [{ colorScheme, direction }]);
    await page.locator('[type="search"]').fill('zzzz');
    await expectAccessible(page, 'the list of none', [{ colorScheme, direction }]);
    await close();
  });

  it.each(['en', 'ar'] as const)(
    'has a list in %s that fits the window and shifts nothing',
    async (language) => {
      const { page, close } = await atPhone(language);
      // The narrowest window of WCAG 2.2, one of 1280 pixels at 200 %, and a usual one.
      for (const width of [320, 640, 1280]) {
        const height = 450;
        await page.setViewportSize({ width, height });
        await page.locator('.field').scrollIntoViewIfNeeded();
        const place = '[scrollX, scrollY, document.documentElement.scrollHeight]';
        const before = await page.evaluate<number[]>(place);
        await openList(page);
        expect(await page.evaluate<number[]>(place)).toEqual(before);
        expect(await sideways(page)).toBe(0);
        const box = await page.locator('[popover]').boundingBox();
        if (!box) throw new Error('the list is not displayed');
        expect(Math.min(box.x, box.y)).toBeGreaterThanOrEqual(0);
        expect(box.x + box.width).toBeLessThanOrEqual(width);
        expect(box.y + box.height).toBeLessThanOrEqual(height);
        await page.keyboard.press('Escape');
      }
      await close();
    },
  );

  it('is chosen in a frame, and Escape in its list does not close the frame', async () => {
    const host = await startHost();
    const { page, complaints, close } = await openPage(browser, { locale: 'en-US' });
    await page.goto(host.origin);
    await display(page, { url: await linkFor([host.origin]) });
    const frame = await frameOf(page);
    const person = withKeyboard(page, frame, 'en');
    await person.press('check.welcome.here');
    await waitForScreen(frame, 'consent');
    await person.press('check.consent.agree');
    await waitForScreen(frame, 'phone');
    await person.choose('check.phone.country', 'DE');
    await page.keyboard.press('Enter');
    await frame.locator('[type="search"]:focus').waitFor();
    await page.keyboard.press('Escape');
    await frame.locator('[popover]').waitFor({ state: 'hidden' });
    // Escape also closes the list from the field, which is outside of it.
    await page.keyboard.press('Enter');
    await frame.locator('[type="search"]:focus').waitFor();
    await page.keyboard.press('Shift+Tab');
    await frame.locator('.field:focus').waitFor();
    await page.keyboard.press('Escape');
    await frame.locator('[popover]').waitFor({ state: 'hidden' });
    await person.type('check.phone.number', '1');
    expect(await frame.locator('.field span').innerText()).toContain('Germany');
    await page.keyboard.press('Escape');
    expect(await resultOf(page)).toMatchObject({ status: 'canceled' });
    expect(complaints).toEqual([]);
    await close();
    await host.close();
  });

  it('is chosen in a browser without popovers', async () => {
    const { page, close } = await atPhone();
    await page.evaluate(`document.querySelector('[popover]').removeAttribute('popover')`);
    await page.getByRole('searchbox').fill('germ');
    await page.getByRole('searchbox').press('Enter');
    await expect.poll(() => chosen(page)).toBe('Germany (+49)');
    await close();
  });
});
