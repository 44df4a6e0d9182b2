import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expectAccessible,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
} from '../../support/browser/browser.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { withMouse } from '../../support/browser/person.ts';
import { clientOf, newLink } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();
let browser: Browser;

describe.skipIf(missing)('a person without a camera', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('requests a review of document and face, and the check goes to review', async () => {
    const uuid = await newLink({
      required_proofs: ['document', 'biometric'],
      policy: { review_on_unsure: true },
    });
    const watched = await openPage(browser);
    const { page } = watched;
    const person = withMouse(page);
    await page.goto(addressOf(uuid));
    await person.press('check.welcome.here');
    await person.press('check.consent.agree');
    await person.press('check.kind.passport');
    await page.locator('[data-fault]').waitFor();
    await person.press('check.review.offer');
    await waitForScreen(page, 'review');
    await expectAccessible(page, 'the request for a review');
    await person.press('check.review.back');
    await waitForScreen(page, 'document');
    await person.press('check.review.offer');
    await page.getByRole('textbox').fill('No camera');
    await person.press('check.review.title');
    await waitForScreen(page, 'face');
    await person.press('check.review.offer');
    expect(await page.getByRole('textbox').inputValue()).toBe('');
    await page.getByRole('textbox').fill('No camera here either');
    await person.press('check.review.title');
    await waitForScreen(page, 'in_review');
    const id = await page.locator('#reference code').innerText();
    const { review_requests } = await clientOf(own.api_key).trustChecks.get({ id });
    expect(review_requests.map(({ note }) => note)).toEqual(['No camera', 'No camera here either']);
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('cannot request a review when the link does not allow reviews', async () => {
    const { page, close } = await openPage(browser);
    const person = withMouse(page);
    await page.goto(addressOf(await newLink({ required_proofs: ['document'] })));
    await person.press('check.welcome.here');
    await person.press('check.consent.agree');
    await waitForScreen(page, 'document');
    expect(await page.getByRole('button', { name: 'I cannot do this step' }).count()).toBe(0);
    await close();
  });
});
