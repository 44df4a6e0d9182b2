import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  desktop,
  expectAccessible,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
  looks,
  phone,
  sideways,
  type Look,
  type WatchedPage,
} from '../support/browser/browser.ts';
import { addressOf } from '../support/browser/follow.ts';
import { call, clientOf, newLink } from '../support/http/client.ts';
import { eventually } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();
const { links } = clientOf(own.api_key);
const { app_id } = own;
const aBrowserSays = /Failed to load resource: the server responded with a status of 404/;
let browser: Browser;

describe.skipIf(missing)('pages in a browser', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  /** Runs a test on a wide screen in light, and on a phone in dark and right to left. */
  async function onScreens(
    path: string,
    test: (watched: WatchedPage, under: Look[]) => Promise<void>,
  ): Promise<void> {
    for (const [index, size] of [desktop, phone].entries()) {
      const watched = await openPage(browser, size);
      await watched.page.goto(`${baseUrl}${path}`);
      await test(watched, looks.slice(index, index + 1));
      expectQuiet(watched, baseUrl);
      await watched.close();
    }
  }

  it.each([
    ['scheduled', 'does not work yet', { not_before: '2090-01-01T00:00:00Z' }, {}],
    ['paused', 'is paused', {}, { paused: true }],
    ['expired', 'has expired', {}, {}],
  ])('a link that is %s says so and begins nothing', async (state, words, made, changed) => {
    const soon = { expires_at: new Date(Date.now() + 3_000).toISOString() };
    const uuid = await newLink(state === 'expired' ? soon : made);
    if (Object.keys(changed).length > 0) {
      await links.update({ app_id, link_uuid: uuid, body: changed });
    }
    await eventually('the state of the link', async () => {
      const shown = await links.preview({ app_id, link_uuid: uuid, format_type: 'J' });
      return 'status' in shown && shown.status === state;
    });
    await onScreens(new URL(addressOf(uuid)).pathname, async (watched, under) => {
      const shown = watched.page.locator(`[data-screen="link-${state}"]`);
      expect(await shown.innerText()).toContain(words);
      expect(watched.requests.filter((url) => url.includes('/v2/'))).toHaveLength(1);
      await expectAccessible(watched.page, `a link that is ${state}`, under);
    });
  });

  it('an unknown or deleted link answers 404, with a page to browsers and a problem to programs', async () => {
    const deleted = await newLink();
    await links.remove({ app_id, link_uuid: deleted });
    for (const path of [`/v2/${own.app_id}/nothing-here`, `/v2/${deleted}`, '/nothing']) {
      const watched = await openPage(browser);
      const answer = await watched.page.goto(`${baseUrl}${path}`);
      expect(answer?.status()).toBe(404);
      expect(await watched.page.locator('h1').innerText()).toBe('There is nothing here');
      await expectAccessible(watched.page, 'a page that is not there');
      // The only complaint is the browser’s, about the status of the page.
      const ours = watched.complaints.filter((text) => !aBrowserSays.test(text));
      expectQuiet({ ...watched, complaints: ours }, baseUrl);
      await watched.close();
      const told = await call('GET', path);
      expect(told.headers.get('content-type')).toContain('application/problem+json');
    }
  });

  it('the success page says that the person is done', async () => {
    await onScreens(`/success/by-app/${own.app_id}`, async (watched, under) => {
      expect(await watched.page.innerText('h1')).toBe('You are done');
      await expectAccessible(watched.page, 'the success page', under);
    });
  });

  it('the outbox shows the messages, and links only to this service', async () => {
    await links.send({
      app_id,
      body: {
        send_to_email: 'outbox@example.test',
        recipient_name: '<img src=x>',
        reference_note: 'see https://elsewhere.test/page',
      },
    });
    await eventually('the mail', async () =>
      (await call('GET', '/outbox/messages')).text.includes('outbox@example.test'),
    );
    await onScreens('/outbox', async (watched, under) => {
      const mail = watched.page.locator('article', { hasText: 'outbox@example.test' });
      await mail.waitFor();
      expect(await mail.innerText()).toContain('<img src=x>');
      const links = await watched.page.evaluate<string[]>(
        `[...document.querySelectorAll('article a')].map((a) => a.href)`,
      );
      expect(links.length).toBeGreaterThan(0);
      // The outbox contains mails of other tests too; their links lead to the same service.
      expect(links.filter((href) => !href.startsWith(`${baseUrl}/`))).toEqual([]);
      await expectAccessible(watched.page, 'the outbox', under);
    });
  });

  const documents = ['/docs', '/docs/guides/api', '/docs/reference', '/docs/reference/apps'];
  it.each(documents)('%s is readable without sideways scrolling', async (path) => {
    const source = await (await fetch(`${baseUrl}${path}`)).text();
    const ids = [...source.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    await onScreens(path, async (watched, under) => {
      expect(await sideways(watched.page)).toBe(0);
      await expectAccessible(watched.page, path, under);
    });
  });

  it('the documentation is searchable without a script, and links from page to page', async () => {
    await onScreens('/docs/errors/link_not_active', async (watched, under) => {
      const { page } = watched;
      await expectAccessible(page, 'the page of a failure', under);
      await page.getByRole('searchbox', { name: 'Search' }).fill('rotate the master key');
      await page.getByRole('button', { name: 'Search' }).click();
      await expectAccessible(page, 'the results of a search', under);
      await page.locator('.results a', { hasText: 'MASTER_KEY' }).first().click();
      expect(new URL(page.url()).pathname).toBe('/docs/operate/keys');
      await page.getByRole('link', { name: 'trustcheck docs' }).click();
      expect(await page.locator('h1').innerText()).toBe('Quick start');
    });
  });
});
