import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, missing, openBrowser, openPage } from '../../support/browser/browser.ts';
import { giveNumber } from '../../support/browser/finish.ts';
import { waitForScreen } from '../../support/browser/follow.ts';
import {
  display,
  eventsOf,
  frameOf,
  leaveBy,
  linkFor,
  resultOf,
  startHost,
  type Host,
} from '../../support/browser/host-page.ts';
import { withMouse } from '../../support/browser/person.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl } = ownPlatform();

const kindsOf = async (page: Page): Promise<string[]> =>
  (await eventsOf(page)).map(({ type }) => type);

describe.skipIf(missing)('a check in a page of another origin', () => {
  let browser: Browser;
  let host: Host;
  beforeAll(async () => {
    browser = await openBrowser();
    const policy = [
      "default-src 'none'",
      `script-src 'self' ${baseUrl}`,
      `frame-src ${baseUrl}`,
      "style-src 'none'",
    ];
    host = await startHost({
      body: '<div id="place"></div>',
      headers: {
        'Content-Security-Policy': policy.join('; '),
        'Cross-Origin-Opener-Policy': 'same-origin',
      },
    });
  });
  afterAll(async () => {
    await browser.close();
    await host.close();
  });

  const openHost = async () => {
    const watched = await openPage(browser);
    await watched.page.goto(host.origin);
    return watched;
  };

  it('is displayed in a dialog, reports its steps and returns its outcome', async () => {
    const { page, complaints, close } = await openHost();
    await display(page, { url: await linkFor([host.origin]) });
    const frame = await frameOf(page);
    const person = withMouse(frame);
    await waitForScreen(frame, 'welcome');
    await expectAccessible(page, 'a page with a check in a dialog');
    await person.press('check.welcome.here');
    await waitForScreen(frame, 'consent');
    await person.press('check.consent.refuse');
    await waitForScreen(frame, 'declined');
    const id = await frame.locator('#reference code').innerText();
    leaveBy(person, 'check.redirect.go', { app: 'Example shop' });
    const outcome = { link_session_id: id, outcome: 'declined' };
    expect(await resultOf(page)).toEqual({ status: 'finished', ...outcome });
    expect(await eventsOf(page)).toEqual([
      { type: 'ready' },
      { type: 'step_changed', step: 'welcome' },
      { type: 'step_changed', step: 'consent' },
      { type: 'step_changed', step: 'declined' },
      { type: 'finished', ...outcome },
    ]);
    expect(await page.locator('dialog').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.id')).toBe('begin');
    expect(complaints).toEqual([]);
    await close();
  });

  it('reports a submission before the outcome, even when its answer is late', async () => {
    const { page, close } = await openHost();
    await page.route(/\/proofs\/phone$/, async (route) => {
      const response = await route.fetch();
      await expect.poll(() => kindsOf(page)).toContain('finished');
      await route.fulfill({ response });
    });
    const url = await linkFor([host.origin], { required_proofs: ['phone'], single_use: true });
    await display(page, { url });
    const frame = await frameOf(page);
    const person = withMouse(frame);
    await person.press('check.welcome.here');
    await waitForScreen(frame, 'consent');
    await person.press('check.consent.agree');
    await giveNumber(person);
    await waitForScreen(frame, 'passed');
    leaveBy(person, 'check.redirect.go', { app: 'Example shop' });
    expect(await resultOf(page)).toMatchObject({ status: 'finished', outcome: 'passed' });
    const kinds = await kindsOf(page);
    expect(kinds.filter((kind) => ['submitted', 'finished'].includes(kind))).toEqual([
      'submitted',
      'finished',
    ]);
    await page.evaluate('window.events = []');
    await display(page, { url });
    await waitForScreen(await frameOf(page), 'passed');
    await expect.poll(() => kindsOf(page)).toContain('finished');
    expect(await kindsOf(page)).not.toContain('error');
    await close();
  });

  it('closes on Escape inside and outside the frame, and resumes at the same step', async () => {
    const { page, close } = await openHost();
    const url = await linkFor([host.origin], { single_use: true });
    await display(page, { url });
    const first = await frameOf(page);
    await withMouse(first).press('check.welcome.here');
    await waitForScreen(first, 'consent');
    const id = await first.locator('#reference code').innerText();
    await page.keyboard.press('Escape');
    expect(await resultOf(page)).toEqual({ status: 'canceled' });
    await page.evaluate('window.events = []');
    await display(page, { url });
    const second = await frameOf(page);
    await waitForScreen(second, 'consent');
    expect(await second.locator('#reference code').innerText()).toBe(id);
    await page.locator('dialog').focus();
    await page.evaluate(`document.querySelector('dialog').requestClose()`);
    expect(await resultOf(page)).toEqual({ status: 'canceled' });
    expect((await eventsOf(page)).at(-1)).toEqual({ type: 'canceled' });
    await close();
  });

  it('is displayed in an element, in the requested language', async () => {
    const { page, close } = await openHost();
    await display(page, { url: await linkFor([host.origin]), locale: 'de' }, '#place');
    const frame = await frameOf(page);
    await waitForScreen(frame, 'welcome');
    expect(await frame.locator('html').getAttribute('lang')).toBe('de');
    expect(await page.locator('#place iframe').getAttribute('title')).toContain('Example shop');
    leaveBy(withMouse(frame, 'de'), 'check.close');
    expect(await resultOf(page)).toEqual({ status: 'canceled' });
    expect(await page.locator('iframe').count()).toBe(0);
    await close();
  });

  it('is displayed again after its element was removed', async () => {
    const { page, close } = await openHost();
    const url = await linkFor([host.origin]);
    await display(page, { url }, '#place');
    await frameOf(page);
    await page.evaluate(`{
      document.querySelector('#place').remove();
      document.querySelector('main').insertAdjacentHTML('beforeend', '<div id="place"></div>');
      window.first = window.result;
      window.events = [];
    }`);
    await display(page, { url }, '#place');
    await waitForScreen(await frameOf(page), 'welcome');
    expect(await page.evaluate('window.first')).toEqual({ status: 'canceled' });
    await close();
  });

  it('ends when a later page fails to load', async () => {
    const { page, close } = await openHost();
    await display(page, { url: await linkFor([host.origin]) });
    const frame = await frameOf(page);
    await waitForScreen(frame, 'welcome');
    await page.route('**/*locale=de*', (route) => route.abort());
    await frame.getByText('Language').click();
    void frame
      .getByRole('link', { name: 'Deutsch' })
      .click()
      .catch(() => undefined);
    expect(await resultOf(page)).toMatchObject({ error: { code: 'frame_blocked' } });
    expect(await page.locator('dialog').count()).toBe(0);
    await close();
  });

  it('is displayed once for two calls, and closes on the abort signal', async () => {
    const { page, close } = await openHost();
    const url = await linkFor([host.origin]);
    await display(page, { url });
    await frameOf(page);
    const isSame = await page.evaluate(`(async () => {
      const { open } = await import('${baseUrl}/sdk/v1.js');
      return open({ url: ${JSON.stringify(url)} }) === window.result;
    })()`);
    expect(isSame).toBe(true);
    expect(await page.locator('dialog').count()).toBe(1);
    await page.evaluate('controller.abort()');
    expect(await resultOf(page)).toEqual({ status: 'canceled' });
    await close();
  });

  it('explains what to do when the link cannot be used', async () => {
    const { page, close } = await openHost();
    const url = await linkFor([host.origin], { not_before: '2099-01-01T00:00:00Z' });
    await display(page, { url });
    const frame = await frameOf(page);
    await waitForScreen(frame, 'link-scheduled');
    leaveBy(withMouse(frame), 'check.close');
    expect(await resultOf(page)).toEqual({
      status: 'error',
      error: {
        code: 'link_not_active',
        detail: 'This link does not work yet. Come back at the time you were given.',
      },
    });
    await close();
  });

  it.each([undefined, '', 'check', 'javascript:alert(1)', 'data:text/html,check'])(
    'returns an error for the address %j',
    async (url) => {
      const { page, close } = await openHost();
      await display(page, { url: url as string });
      expect(await resultOf(page)).toMatchObject({
        status: 'error',
        error: { code: 'invalid_url' },
      });
      expect(await eventsOf(page)).toMatchObject([
        { type: 'error', error: { code: 'invalid_url' } },
      ]);
      await close();
    },
  );

  it('leaves nothing in the page of a browser without dialogs', async () => {
    const { page, close } = await openHost();
    await page.evaluate('delete HTMLDialogElement.prototype.showModal');
    await display(page, { url: await linkFor([host.origin]) });
    const error = { code: 'unsupported_browser' };
    expect(await resultOf(page)).toMatchObject({ status: 'error', error });
    expect(await eventsOf(page)).toMatchObject([{ type: 'error', error }]);
    expect(await page.locator('dialog, iframe').count()).toBe(0);
    await close();
  });

  it('redirects automatically when the app sets it', async () => {
    const { page, close } = await openHost();
    await display(page, { url: await linkFor([host.origin], {}, { auto_redirect: true }) });
    const frame = await frameOf(page);
    const person = withMouse(frame);
    await person.press('check.welcome.here');
    await waitForScreen(frame, 'consent');
    await person.press('check.consent.refuse');
    expect(await resultOf(page)).toMatchObject({ status: 'finished', outcome: 'declined' });
    await close();
  });
});
