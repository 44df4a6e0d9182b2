import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { photographDocument } from '../../../simulator/document/camera.ts';
import { printedPortrait } from '../../../simulator/face/face.ts';
import { watchRepeats } from '../../../web/check/camera/repeats.ts';
import { isVirtualCamera } from '../../../web/check/camera/virtual-cameras.ts';
import { expectAccessible, missing, openBrowser, openPage } from '../../support/browser/browser.ts';
import { giveCamera, holdBefore } from '../../support/browser/camera.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { withMouse } from '../../support/browser/person.ts';
import { clientOf, newLink } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own } = ownPlatform();

describe('isVirtualCamera', () => {
  it.each([
    'OBS Virtual Camera',
    'OBS-Camera',
    'ManyCam Virtual Webcam',
    'XSplit VCam',
    'Snap Camera',
    'Dummy video device (0x0000)',
    'fake_device_0',
    '/tmp/face.y4m',
    'C:\\films\\face.mjpeg',
  ])('returns true for %s', (label) => expect(isVirtualCamera(label)).toBe(true));

  it.each([
    '',
    'FaceTime HD Camera (Built-in) (05ac:8514)',
    'Anna’s iPhone Camera',
    'Robs Camera',
    'camera2 1, facing front',
    'Integrated Camera (04f2:b6d0)',
    'Logitech BRIO',
    'DroidCam Source 3',
  ])('returns false for %s', (label) => expect(isVirtualCamera(label)).toBe(false));
});

describe('watchRepeats', () => {
  const pictureOf = (seed: number): Uint8ClampedArray =>
    Uint8ClampedArray.from({ length: 4096 }, (_, at) => (at * seed) % 251);
  const isRepeated = (seeds: readonly number[]): boolean => {
    const watch = watchRepeats();
    return seeds.map((seed) => watch(pictureOf(seed))).at(-1) ?? false;
  };

  it('detects a still photograph and a film that is played again', () => {
    expect(isRepeated([7, 7, 7, 7, 7])).toBe(true);
    expect(isRepeated([2, 3, 5, 7, 2, 3, 5, 7])).toBe(true);
  });

  it('reports nothing for few pictures or a covered lens', () => {
    expect(isRepeated([7, 7, 7, 7])).toBe(false);
    expect(isRepeated([2, 3, 5, 7, 11, 13, 17])).toBe(false);
    expect(isRepeated([0, 0, 0, 0, 0, 0])).toBe(false);
  });
});

/** Counts how often the page draws the camera in the size in which it compares pictures. */
const countLooks = `{
  window.looks = 0;
  const { prototype } = CanvasRenderingContext2D;
  const { drawImage } = prototype;
  prototype.drawImage = function (...given) {
    if (this.canvas.width === 64) window.looks += 1;
    return drawImage.apply(this, given);
  };
}`;

describe.skipIf(missing)('the page of a check', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  /**
   * Photographs a document for a link with reviews, and returns the proof at the end. `firstShown`
   * is what the camera shows before the document.
   */
  async function photograph(page: Page, firstShown?: Uint8Array) {
    const policy = { review_on_unsure: true };
    const person = withMouse(page);
    if (firstShown) await page.addInitScript(countLooks);
    await page.goto(addressOf(await newLink({ required_proofs: ['document'], policy })));
    await person.press('check.welcome.here');
    await person.press('check.consent.agree');
    await person.press('check.kind.passport');
    await waitForScreen(page, 'document-front');
    const { front } = await photographDocument(new Date(), { portrait: await printedPortrait() });
    if (firstShown) {
      await holdBefore(page, firstShown);
      // Each comparison draws in this size; more than eight equal pictures make a signal.
      await page.evaluate(`looks = 0`);
      await expect.poll(() => page.evaluate('looks'), { timeout: 40_000 }).toBeGreaterThan(8);
    }
    await holdBefore(page, front);
    await waitForScreen(page, 'document-front-review');
    await person.press('check.document.use');
    await page.locator('[data-screen="in_review"], [data-screen="passed"]').waitFor();
    const id = await page.locator('#reference code').innerText();
    const { proofs } = await clientOf(own.api_key).trustChecks.get({ id });
    return proofs[0];
  }

  it('shows that the camera looks like a program, and sends no label', async () => {
    const { page, close } = await openPage(browser);
    await giveCamera(page);
    await page.addInitScript(`{
      const label = { get: () => 'OBS Virtual Camera of Anna' };
      Object.defineProperty(MediaStreamTrack.prototype, 'label', label);
    }`);
    const bodies: string[] = [];
    page.on('request', (request) => bodies.push(request.postData() ?? ''));
    expect(await photograph(page)).toMatchObject({
      reason_code: 'camera_suspect',
      capture_signals: ['automated', 'virtual_camera'],
    });
    expect(await page.locator('main').innerText()).toContain(
      'A program seems to control the camera',
    );
    await expectAccessible(page, 'a check in review for its camera');
    expect(bodies.join('')).toContain('virtual_camera');
    expect(bodies.join('')).not.toContain('Anna');
    await close();
  });

  it('sends no signal for a browser under no program, with a real camera', async () => {
    const { page, close } = await openPage(browser);
    await giveCamera(page);
    await page.addInitScript(`Object.defineProperty(navigator, 'webdriver', { value: false })`);
    const proof = await photograph(page);
    expect(proof).toMatchObject({ status: 'passed', reason_code: null });
    expect(proof).not.toHaveProperty('capture_signals');
    await close();
  });

  it('detects a camera that repeats its pictures', async () => {
    const { page, close } = await openPage(browser);
    await giveCamera(page);
    // Without sensor noise, the camera of these tests shows one picture again and again.
    await page.addInitScript(`Math.random = () => 0.5`);
    // A picture that the automatic shutter does not take.
    const { front } = await photographDocument(new Date(), { fail: 'document_cropped' });
    expect(await photograph(page, front)).toMatchObject({
      capture_signals: ['automated', 'repeated_frames'],
    });
    await close();
  });
});
