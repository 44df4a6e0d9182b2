import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectMessage } from '../../../web/sdk/messages.ts';
import { missing, openBrowser, openPage } from '../../support/browser/browser.ts';
import { giveCamera } from '../../support/browser/camera.ts';
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

describe.skipIf(missing)('a check in a hostile page', () => {
  let browser: Browser;
  let host: Host;
  beforeAll(async () => {
    browser = await openBrowser();
    host = await startHost();
  });
  afterAll(async () => {
    await browser.close();
    await host.close();
  });

  /** Advances the clock, because the loader waits for ten seconds. */
  const blockedIn = async (at: string, url: string) => {
    const { page, close } = await openPage(browser);
    await page.clock.install();
    await page.goto(at);
    await display(page, { url });
    await page.locator('iframe').waitFor();
    await page.clock.runFor(10_001);
    const result = await resultOf(page);
    expect(await page.locator('dialog').count()).toBe(0);
    await close();
    return result;
  };

  it('is not displayed when the app does not list the origin, and the error says so', async () => {
    for (const origins of [[], ['https://shop.example'], [host.origin.replace(/\d+$/, '1')]]) {
      const result = await blockedIn(host.origin, await linkFor(origins));
      expect(result).toMatchObject({ status: 'error', error: { code: 'frame_blocked' } });
      const { detail } = (result as { error: { detail: string } }).error;
      for (const cause of ['allowed_origins', 'Content-Security-Policy', 'can be reached']) {
        expect(detail).toContain(cause);
      }
    }
  });

  it('is not displayed in a listed page that an unlisted page frames', async () => {
    const url = await linkFor([host.origin]);
    const around = await startHost({ body: `<iframe id="inner" src="${host.origin}"></iframe>` });
    const { page, close } = await openPage(browser);
    await page.goto(around.origin);
    const inner = await (await page.locator('#inner').elementHandle())?.contentFrame();
    if (!inner) throw new Error('the listed page is not displayed');
    await display(inner, { url });
    const refused = await inner.waitForSelector('dialog iframe');
    const frame = await refused.contentFrame();
    await expect.poll(() => frame?.url()).toMatch(/^chrome-error:/);
    await close();
    await around.close();
  });

  it('accepts a port only from the page that embeds it, and only once', async () => {
    // A frame beside it requests the port all the time, also from an origin that the app lists.
    const beside = await startHost({
      script: `
        window.stolen = [];
        setInterval(() => {
          for (let index = 0; index < parent.frames.length; index += 1) {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = ({ data }) => void window.stolen.push(data);
            parent.frames[index].postMessage('${connectMessage}', '*', [port2]);
          }
        }, 5);`,
    });
    const around = await startHost({
      body: `<iframe id="beside" src="${beside.origin}"></iframe>`,
    });
    const { page, close } = await openPage(browser);
    await page.goto(around.origin);
    const thief = await (await page.locator('#beside').elementHandle())?.contentFrame();
    await expect.poll(() => thief?.evaluate(`'stolen' in window`)).toBe(true);
    await display(page, { url: await linkFor([around.origin, beside.origin]) });
    const frame = await frameOf(page);
    await waitForScreen(frame, 'welcome');
    await page.evaluate(`{
      const { port1, port2 } = new MessageChannel();
      window.second = [];
      port1.onmessage = ({ data }) => void window.second.push(data);
      const target = document.querySelector('iframe[sandbox]').contentWindow;
      target.postMessage('${connectMessage}', '*', [port2]);
      for (const forged of [{ type: 'close' }, { type: 'finished', outcome: 'passed' }, 'x', null]) {
        target.postMessage(forged, '*');
        window.postMessage(forged, '*');
      }
    }`);
    await withMouse(frame).press('check.welcome.here');
    await waitForScreen(frame, 'consent');
    leaveBy(withMouse(frame), 'check.close');
    expect(await resultOf(page)).toEqual({ status: 'canceled' });
    expect(await page.evaluate('window.second')).toEqual([]);
    expect(await thief?.evaluate('window.stolen')).toEqual([]);
    expect((await eventsOf(page)).map(({ type }) => type)).not.toContain('finished');
    await close();
    await Promise.all([around.close(), beside.close()]);
  });

  it('reports that the embedding page blocks the camera', async () => {
    const strict = await startHost({ headers: { 'Permissions-Policy': 'camera=()' } });
    const { page, context, close } = await openPage(browser);
    await context.grantPermissions(['camera']);
    await page.goto(strict.origin);
    const url = await linkFor([strict.origin], { required_proofs: ['document'] });
    await display(page, { url });
    const frame = await frameOf(page);
    const person = withMouse(frame);
    await person.press('check.welcome.here');
    await waitForScreen(frame, 'consent');
    await person.press('check.consent.agree');
    await waitForScreen(frame, 'document');
    await person.press('check.kind.passport');
    await waitForScreen(frame, 'document-front');
    await frame.locator('[data-fault="blocked"]').waitFor();
    const blocked = { type: 'camera_state', state: 'blocked' };
    await expect.poll(() => eventsOf(page)).toContainEqual(blocked);
    await close();
    await strict.close();
  });

  it('continues without duplicates after it was closed during an upload', async () => {
    const { page, close } = await openPage(browser);
    await giveCamera(page);
    await page.goto(host.origin);
    const url = await linkFor([host.origin], { required_proofs: ['document'] });
    await display(page, { url });
    const first = await frameOf(page);
    await withMouse(first).press('check.welcome.here');
    await waitForScreen(first, 'consent');
    await withMouse(first).press('check.consent.agree');
    await withMouse(first).press('check.kind.passport');
    await waitForScreen(first, 'document-front');
    await page.route('**/evidence/**', () => page.evaluate('controller.abort()'));
    await withMouse(first).press('check.document.shoot');
    await withMouse(first).press('check.document.use');
    expect(await resultOf(page)).toEqual({ status: 'canceled' });
    await page.unroute('**/evidence/**');
    await page.evaluate('window.events = []');
    await display(page, { url });
    const second = await frameOf(page);
    await waitForScreen(second, 'document');
    await close();
  });
});
