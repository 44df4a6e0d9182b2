import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectQuiet, missing, openBrowser, openPage } from '../../support/browser/browser.ts';
import { cameraScript } from '../../support/browser/camera.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { withMouse } from '../../support/browser/person.ts';
import { newLink } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { photographCard, shoot } from './card.ts';

/** Records each stream that the page requests. */
const keepStreams = `{
  window.streams = [];
  const { getUserMedia } = MediaDevices.prototype;
  MediaDevices.prototype.getUserMedia = async (...given) => {
    const stream = await getUserMedia(...given);
    streams.push(stream);
    return stream;
  };
}`;

/** The state of the track of each stream: one per call. */
const tracks = (page: Page) =>
  page.evaluate<string[]>('streams.map((each) => each.getVideoTracks()[0].readyState)');

describe.skipIf(missing)('the camera of a step', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('is requested once, and stops when the pictures are submitted or the step is left', async () => {
    const watched = await openPage(browser);
    const { page } = watched;
    const person = withMouse(page);
    const { front, back } = await photographCard();
    await page.addInitScript(cameraScript + keepStreams);
    await page.goto(addressOf(await newLink({ required_proofs: ['document', 'biometric'] })));
    await person.press('check.welcome.here');
    await person.press('check.consent.agree');
    await person.press('check.kind.id_card');
    await shoot(person, 'front', front);
    expect(await page.locator('video').isVisible()).toBe(false);
    await person.press('check.document.retake');
    await shoot(person, 'front', front);
    await person.press('check.document.use');
    await shoot(person, 'back', back);
    expect(await tracks(page)).toEqual(['live']);
    await person.press('check.document.use');
    await waitForScreen(page, 'face');
    await expect.poll(() => tracks(page)).toEqual(['ended', 'live']);
    await person.press('check.move');
    await waitForScreen(page, 'scan');
    expect(await tracks(page)).toEqual(['ended', 'ended']);
    expectQuiet(watched, ownPlatform().baseUrl);
    await watched.close();
  });

  it('stops when the person chooses another document', async () => {
    const watched = await openPage(browser);
    const { page } = watched;
    const person = withMouse(page);
    await page.addInitScript(cameraScript + keepStreams);
    await page.goto(addressOf(await newLink({ required_proofs: ['document'] })));
    await person.press('check.welcome.here');
    await person.press('check.consent.agree');
    await person.press('check.kind.passport');
    await page.locator('[data-camera="live"]').waitFor();
    await person.press('check.document.other_kind');
    await waitForScreen(page, 'document');
    expect(await tracks(page)).toEqual(['ended']);
    await watched.close();
  });

  it.each([
    ['without workers', 'delete window.Worker'],
    [
      'with workers that cannot start',
      'window.Worker = class { constructor() { throw new Error() } }',
    ],
  ])('takes a picture with the button in a browser %s', async (_which, script) => {
    const { page, close } = await openPage(browser);
    const person = withMouse(page);
    await page.addInitScript(cameraScript);
    await page.addInitScript(script);
    await page.goto(addressOf(await newLink({ required_proofs: ['document'] })));
    await person.press('check.welcome.here');
    await person.press('check.consent.agree');
    await person.press('check.kind.passport');
    await person.press('check.document.shoot');
    await waitForScreen(page, 'document-front-review');
    await close();
  });
});
