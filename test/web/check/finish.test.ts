import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { photographDocument } from '../../../simulator/document/camera.ts';
import { printedPortrait } from '../../../simulator/face/face.ts';
import {
  expectAccessible,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
} from '../../support/browser/browser.ts';
import { giveCamera, holdBefore, sitBefore } from '../../support/browser/camera.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { call, codeFor, newLink, newNumber } from '../../support/http/client.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();
let browser: Browser;

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name }).click();
async function giveNumber(page: Page): Promise<void> {
  await waitForScreen(page, 'phone');
  const number = newNumber();
  await page.getByRole('combobox', { name: 'Country' }).selectOption('DE');
  await page.getByRole('textbox', { name: 'Phone number' }).fill(number);
  await press(page, 'Send the code');
  await waitForScreen(page, 'code');
  await page.getByRole('textbox', { name: 'Code' }).fill(await codeFor(number));
  await press(page, 'Confirm');
}

async function showDocument(page: Page): Promise<void> {
  await waitForScreen(page, 'document');
  const { front } = await photographDocument(new Date(), { portrait: await printedPortrait() });
  await press(page, 'Passport');
  await holdBefore(page, front);
  await waitForScreen(page, 'document-front');
  await press(page, 'Take the photo');
  await waitForScreen(page, 'document-front-review');
  await press(page, 'Use this photo');
}

/** Does what the page asks for, and does it again where that was not seen. */
async function showFace(page: Page): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await press(page, 'Begin');
    const ended = page.locator('[data-screen="passed"], [data-screen="face"] [role="alert"]');
    await ended.first().waitFor({ timeout: 90_000 });
    if (await page.locator('[data-screen="passed"]').isVisible()) return;
  }
  await waitForScreen(page, 'passed', 1_000);
}

describe.skipIf(missing)('a person with a browser and no app', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('finishes a check with phone, document and face', { timeout: 180_000 }, async () => {
    const uuid = await newLink({ required_proofs: ['phone', 'document', 'biometric'] });
    const watched = await openPage(browser);
    const { page } = watched;
    await giveCamera(page);
    await page.goto(addressOf(uuid));
    await press(page, 'Continue here');
    await waitForScreen(page, 'consent');
    await expectAccessible(page, 'consent');
    await press(page, 'I agree');
    await giveNumber(page);
    await showDocument(page);
    await waitForScreen(page, 'face');
    await sitBefore(page);
    await showFace(page);
    await expectAccessible(page, 'a check that passed');
    const reference = await page.locator('#reference code').innerText();
    await eventually('its affidavit', async () => {
      const { body } = await call('GET', `/v2/trust-checks/${reference}`, { token: own.api_key });
      return (body['affidavit'] as { status: string }).status === 'available';
    });
    expectQuiet(watched, baseUrl);
    await watched.close();
  });
});
