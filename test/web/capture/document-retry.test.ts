import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expectAccessible,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
  phone,
} from '../../support/browser/browser.ts';
import { giveCamera } from '../../support/browser/camera.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { withMouse, type Person } from '../../support/browser/person.ts';
import { newLink } from '../../support/http/client.ts';
import { startLateApi, type LateApi } from '../../support/http/late-api.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { photographCard, shoot } from './card.ts';

/** Photographs a side and accepts the picture. */
async function show(person: Person, side: 'front' | 'back', picture: Uint8Array): Promise<void> {
  await shoot(person, side, picture);
  await person.press('check.document.use');
}

async function beginWithCard(person: Person, page: Page): Promise<void> {
  await page.goto(addressOf(await newLink({ required_proofs: ['document'] })));
  await person.press('check.welcome.here');
  await person.press('check.consent.agree');
  await person.press('check.kind.id_card');
}

/** Returns the amount of detail of each picture beside the refusal, by side. */
const detailsShown = (page: Page) =>
  page.evaluate<Record<string, number>>(`(async () => {
    const details = {};
    for (const figure of document.querySelectorAll('.refused figure')) {
      const image = figure.querySelector('img');
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width: 400, height: 260 });
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0, 400, 260);
      const { data } = context.getImageData(0, 0, 400, 260);
      let detail = 0;
      for (let at = 4; at < data.length; at += 4) detail += Math.abs(data[at] - data[at - 4]);
      details[figure.dataset.side] = detail;
    }
    return details;
  })()`);

describe.skipIf(missing)('a refused document', () => {
  let browser: Browser;
  let late: LateApi;
  beforeAll(async () => {
    browser = await openBrowser();
    late = await startLateApi();
  });
  afterAll(async () => {
    await browser.close();
    await late.stop();
  });

  it('shows both sides beside the reason, and passes at the next attempt', async () => {
    const watched = await openPage(browser, phone);
    const { page } = watched;
    const person = withMouse(page);
    const [good, blurred] = [await photographCard(), await photographCard('document_unreadable')];
    await giveCamera(page);
    await beginWithCard(person, page);
    await show(person, 'front', good.front);
    await show(person, 'back', blurred.back);
    await waitForScreen(page, 'document-front');
    expect(await page.getByRole('alert').innerText()).toContain('The photo is blurred');
    expect(await page.locator('.refused figcaption').allInnerTexts()).toEqual([
      'Front of your last attempt',
      'Back of your last attempt',
    ]);
    const { front = 0, back = 0 } = await detailsShown(page);
    expect(back).toBeGreaterThan(0);
    expect(front).toBeGreaterThan(2 * back);
    await expectAccessible(page, 'a card that was refused');
    await show(person, 'front', good.front);
    await waitForScreen(page, 'document-back');
    expect(await page.locator('.refused').count()).toBe(0);
    await show(person, 'back', good.back);
    await waitForScreen(page, 'passed');
    expectQuiet(watched, ownPlatform().baseUrl);
    await watched.close();
  });

  it('is shown again when the judgment takes longer than the call', async () => {
    const { page, close } = await openPage(browser, phone);
    const person = withMouse(page);
    const blurred = await photographCard('document_unreadable');
    await giveCamera(page);
    await beginWithCard(person, page);
    const statuses: number[] = [];
    await page.route('**/proofs/document', async (route) => {
      const url = route.request().url().replace(ownPlatform().baseUrl, late.origin);
      const response = await route.fetch({ url });
      statuses.push(response.status());
      await route.fulfill({ response });
    });
    await show(person, 'front', blurred.front);
    await show(person, 'back', blurred.back);
    await waitForScreen(page, 'document');
    expect(await page.locator('.refused figcaption').allInnerTexts()).toHaveLength(2);
    expect(statuses).toEqual([202]);
    await person.press('check.kind.id_card');
    await waitForScreen(page, 'document-front');
    expect(await page.locator('.refused figcaption').allInnerTexts()).toHaveLength(2);
    await close();
  });

  it('asks for the document kind again after a card side was submitted as a passport', async () => {
    const { page, close } = await openPage(browser, phone);
    const person = withMouse(page);
    const good = await photographCard();
    await giveCamera(page);
    await page.goto(addressOf(await newLink({ required_proofs: ['document'] })));
    await person.press('check.welcome.here');
    await person.press('check.consent.agree');
    await person.press('check.kind.passport');
    await show(person, 'front', good.back);
    await waitForScreen(page, 'document');
    expect(await page.getByRole('alert').innerText()).toContain('Only one side of the card');
    await person.press('check.kind.id_card');
    await show(person, 'front', good.front);
    await show(person, 'back', good.back);
    await waitForScreen(page, 'passed');
    await close();
  });

  it('starts at the front again when the person chooses another kind', async () => {
    const { page, close } = await openPage(browser, phone);
    const person = withMouse(page);
    const good = await photographCard();
    await giveCamera(page);
    await beginWithCard(person, page);
    await show(person, 'front', good.front);
    await waitForScreen(page, 'document-back');
    await person.press('check.document.other_kind');
    await person.press('check.kind.driving_licence');
    await waitForScreen(page, 'document-front');
    await close();
  });
});
