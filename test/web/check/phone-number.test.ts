import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { say } from '../../../domain/languages/say.ts';
import { missing, openBrowser, openPage } from '../../support/browser/browser.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { withMouse } from '../../support/browser/person.ts';
import { newLink } from '../../support/http/client.ts';

let browser: Browser;

describe.skipIf(missing)('a number that gets no codes', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('is refused in words that say what to do', async () => {
    const { page, close } = await openPage(browser);
    const person = withMouse(page);
    await page.goto(addressOf(await newLink({ required_proofs: ['phone'] })));
    await person.press('check.welcome.here');
    await person.press('check.consent.agree');
    await waitForScreen(page, 'phone');
    await person.choose('check.phone.country', 'DE');
    const refused = say('en', 'check.fault.phone_refused');
    for (const number of ['12', 'abc', '030 12345678']) {
      await person.type('check.phone.number', number);
      await person.press('check.phone.send');
      await expect.poll(() => page.getByRole('alert').allInnerTexts()).toEqual([refused]);
    }
    await close();
  });
});
