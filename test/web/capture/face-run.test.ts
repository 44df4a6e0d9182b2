import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missing, openBrowser, openPage, type WatchedPage } from '../../support/browser/browser.ts';
import { cameraScript } from '../../support/browser/camera.ts';
import { showDocument } from '../../support/browser/finish.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { withMouse, type Person } from '../../support/browser/person.ts';
import { newLink } from '../../support/http/client.ts';

/** Records the last stream, the tones and vibrations, and the displayed prompts. */
const watchRun = `{
  const { getUserMedia } = MediaDevices.prototype;
  MediaDevices.prototype.getUserMedia = async (...given) => {
    window.stream = await getUserMedia(...given);
    return stream;
  };
  window.cues = { tones: [], vibrations: 0, audible: [] };
  const { start } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function (...given) {
    cues.tones.push(this.frequency.value);
    cues.audible.push(this.context.state !== 'closed');
    return start.apply(this, given);
  };
  Navigator.prototype.vibrate = () => Boolean((cues.vibrations += 1));
  window.prompts = [];
  new MutationObserver(() => {
    const action = document.querySelector('[data-action]')?.dataset.action;
    if (action && action !== prompts.at(-1)) prompts.push(action);
  }).observe(document, { subtree: true, childList: true, attributes: true });
}`;

interface Cues {
  readonly tones: readonly number[];
  readonly vibrations: number;
  readonly audible: readonly boolean[];
}

const [begin, back] = [880, 523];

describe.skipIf(missing)('filming a face', () => {
  let browser: Browser;
  let watched: WatchedPage;
  let person: Person;
  beforeAll(async () => {
    browser = await openBrowser();
    watched = await openPage(browser);
    const { page } = watched;
    person = withMouse(page);
    await page.addInitScript(cameraScript + watchRun);
    const link = await newLink({ required_proofs: ['document', 'biometric'], max_attempts: 3 });
    await page.goto(addressOf(link));
    await person.press('check.welcome.here');
    await person.press('check.consent.agree');
    await showDocument(person);
    await waitForScreen(page, 'face');
  });
  afterAll(() => browser.close());

  const submitted = (): string[] =>
    watched.requests.filter((url) => /proofs\/biometric|evidence\/frame/.test(url));

  it('ends without a submission when the camera ends, and says so', async () => {
    const { page } = watched;
    await person.press('check.face.begin');
    await page.locator('[data-action="straight"]').waitFor();
    // Simulates an unplugged camera: a track that a page stops sends no event itself.
    await page.evaluate(`(() => {
      const [track] = stream.getVideoTracks();
      track.stop();
      track.dispatchEvent(new Event('ended'));
    })()`);
    await page.locator('[data-fault="busy"]').waitFor();
    await page.locator('[data-action=""]').waitFor({ state: 'attached' });
    expect(await page.evaluate('prompts')).toEqual(['straight']);
    await person.press('check.again');
    await page.locator('[data-camera="live"]').waitFor();
    await page.getByRole('button', { name: 'Begin' }).waitFor();
    expect(submitted()).toEqual([]);
  });

  it('shows an error when no frame can be encoded', async () => {
    const { page } = watched;
    await page.evaluate(`{
      window.toBlob = HTMLCanvasElement.prototype.toBlob;
      HTMLCanvasElement.prototype.toBlob = (done) => done(null);
    }`);
    await person.press('check.face.begin');
    const alert = page.getByRole('alert').filter({ hasText: 'could not take a picture' });
    await alert.waitFor();
    await page.getByRole('button', { name: 'Begin' }).waitFor();
    expect(submitted()).toEqual([]);
    expect(watched.complaints).toEqual([]);
    await page.evaluate('HTMLCanvasElement.prototype.toBlob = toBlob');
  });

  it('submits nothing from a device that films too few frames, and shows that it is slow', async () => {
    const { page } = watched;
    await page.evaluate(`{
      window.toBlob = HTMLCanvasElement.prototype.toBlob;
      HTMLCanvasElement.prototype.toBlob = function (done, ...given) {
        setTimeout(() => toBlob.call(this, done, ...given), 2_500);
      };
    }`);
    await person.press('check.face.begin');
    const alert = page.getByRole('alert').filter({ hasText: 'This device is too slow' });
    await alert.waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Begin' }).waitFor();
    expect(submitted()).toEqual([]);
    await page.evaluate('HTMLCanvasElement.prototype.toBlob = toBlob');
  });

  it('plays a tone and vibrates at each prompt and at each prompt to move back', async () => {
    const { page } = watched;
    await page.evaluate(`{
      Object.assign(cues, { tones: [], vibrations: 0, audible: [] });
      prompts.length = 0;
    }`);
    await person.press('check.face.begin');
    const alert = page.locator('[data-screen="face"] [role="alert"]');
    await alert.waitFor({ timeout: 60_000 });
    const prompts = await page.evaluate<string[]>('prompts');
    const [first, ...actions] = prompts;
    expect(first).toBe('straight');
    expect(actions.length).toBeGreaterThan(1);
    const { tones, vibrations, audible } = await page.evaluate<Cues>('cues');
    expect(tones).toEqual([begin, ...actions.flatMap(() => [begin, back])]);
    expect(vibrations).toBe(tones.length);
    expect(audible.every(Boolean)).toBe(true);
    expect(submitted().filter((url) => url.endsWith('proofs/biometric'))).toHaveLength(1);
  });

  it('plays no sound and reports no fault in a browser without audio', async () => {
    const { page } = watched;
    await page.evaluate(`{
      delete window.AudioContext;
      cues.tones = [];
      prompts.length = 0;
    }`);
    await person.press('check.face.begin');
    await expect.poll(() => page.evaluate('prompts.length')).toBeGreaterThan(1);
    expect(await page.evaluate('cues.tones')).toEqual([]);
    expect(watched.complaints).toEqual([]);
  });
});
