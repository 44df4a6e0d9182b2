import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { desktop, missing, openBrowser, openPage, phone } from '../../support/browser/browser.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { withMouse } from '../../support/browser/person.ts';
import { newLink } from '../../support/http/client.ts';

const shiftMax = 0.02;

/** Records how much the layout shifts (Cumulative Layout Shift) from the first paint. */
const noteShifts = `{
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) {
      if (!hadRecentInput) window.shifted += value;
    }
  }).observe({ type: 'layout-shift', buffered: true });
}`;

let browser: Browser;

describe.skipIf(missing)('the page of a check', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it.each([
    ['a computer', desktop],
    ['a phone', phone],
  ])('does not shift its layout while it loads on a slow device: %s', async (_where, size) => {
    const link = await newLink({ required_proofs: ['phone', 'document', 'biometric'] });
    const { page, context, close } = await openPage(browser, size);
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await page.addInitScript(noteShifts);
    await page.goto(addressOf(link));
    await withMouse(page).press('check.welcome.here');
    await waitForScreen(page, 'consent');
    const shifted = await page.evaluate<number>('window.shifted');
    expect(shifted).toBeLessThanOrEqual(shiftMax);
    await close();
  });
});
