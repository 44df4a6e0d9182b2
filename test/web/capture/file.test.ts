import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expectAccessible,
  missing,
  openBrowser,
  openPage,
  phone,
} from '../../support/browser/browser.ts';
import { giveCamera } from '../../support/browser/camera.ts';
import { photographPassport } from '../../support/browser/finish.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { withMouse, type Person } from '../../support/browser/person.ts';
import { newLink } from '../../support/http/client.ts';

const required_proofs = ['document'] as const;
/** Metadata that a phone writes into a picture. */
const exif = { IFD0: { Make: 'CAMERA-OF-SOMEBODY' } };

interface Opened {
  readonly page: Page;
  readonly person: Person;
}

describe.skipIf(missing)('a picture of a document from a file', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  const choose = async ({ page, person }: Opened, buffer: Buffer): Promise<void> => {
    const chooser = page.waitForEvent('filechooser');
    await person.press('check.document.file');
    await (await chooser).setFiles({ name: 'passport.jpg', mimeType: 'image/jpeg', buffer });
  };
  const noteUploads = async (page: Page): Promise<Buffer[]> => {
    const bodies: Buffer[] = [];
    await page.route('**/evidence/*', async (route) => {
      bodies.push(route.request().postDataBuffer() ?? Buffer.alloc(0));
      await route.continue();
    });
    return bodies;
  };
  const openAtPassport = async (policy: Readonly<Record<string, unknown>>, isFilmed: boolean) => {
    const watched = await openPage(browser, phone);
    const { page } = watched;
    const person = withMouse(page);
    if (isFilmed) await giveCamera(page);
    await page.goto(addressOf(await newLink({ required_proofs, policy })));
    await person.press('check.welcome.here');
    await person.press('check.consent.agree');
    await waitForScreen(page, 'document');
    return { ...watched, person };
  };

  it('is accepted without a camera, turned upright and stripped of its metadata', async () => {
    const opened = await openAtPassport({ capture: 'any' }, false);
    const { page, person, close } = opened;
    const bodies = await noteUploads(page);
    await person.press('check.kind.passport');
    await page.locator('[data-fault]').waitFor();
    await expectAccessible(page, 'a document by a file');
    for (const wrong of [Buffer.from('no picture'), Buffer.alloc(0)]) {
      await choose(opened, wrong);
      const refusal = page.locator('[role="alert"]:not([data-seen])');
      await refusal.filter({ hasText: 'JPEG or PNG' }).waitFor();
      await page.evaluate(`for (const each of document.querySelectorAll('[role="alert"]')) {
        each.dataset.seen = '';
      }`);
    }
    const upright = sharp(await photographPassport()).resize({ width: 4000 });
    const lying = upright.rotate(-90).withMetadata({ orientation: 6, exif }).jpeg();
    await choose(opened, await lying.toBuffer());
    await waitForScreen(page, 'document-front-review');
    await person.press('check.document.use');
    await waitForScreen(page, 'passed');
    expect(bodies).toHaveLength(1);
    const { width, height, exif: left } = await sharp(bodies[0]).metadata();
    expect([width, left]).toEqual([2400, undefined]);
    expect(height).toBeLessThan(width);
    await close();
  });

  it('uses the file chosen last, even when an earlier one is read more slowly', async () => {
    const opened = await openAtPassport({ capture: 'any' }, false);
    const { page, person, close } = opened;
    const bodies = await noteUploads(page);
    await page.evaluate(`{
      const read = window.createImageBitmap;
      const isReleased = new Promise((resolve) => { window.release = resolve; });
      window.createImageBitmap = async (file) => {
        window.createImageBitmap = read;
        await isReleased;
        return read(file).finally(() => { window.isRead = true; });
      };
    }`);
    await person.press('check.kind.passport');
    await page.locator('[data-fault]').waitFor();
    const photograph = sharp(await photographPassport());
    await choose(opened, await photograph.clone().resize({ width: 1000 }).jpeg().toBuffer());
    await choose(opened, await photograph.clone().resize({ width: 1600 }).jpeg().toBuffer());
    await waitForScreen(page, 'document-front-review');
    await page.evaluate('window.release()');
    await expect.poll(() => page.evaluate('window.isRead')).toBe(true);
    await person.press('check.document.use');
    await waitForScreen(page, 'passed');
    expect((await sharp(bodies[0]).metadata()).width).toBe(1600);
    await close();
  });

  it('is not offered unless the policy allows it', async () => {
    const { page, person, close } = await openAtPassport({}, true);
    await person.press('check.kind.passport');
    await waitForScreen(page, 'document-front');
    await page.locator('[data-camera="live"]').waitFor();
    expect(await page.locator('input[type=file]').count()).toBe(0);
    await close();
  });

  it('comes from a country that the page lists beforehand', async () => {
    const policy = { allowed_countries: ['DEU', 'AUT'] };
    const { page, close } = await openAtPassport(policy, true);
    expect(await page.locator('details:not(.languages)').innerText()).toBe(
      'Countries whose documents are accepted\n\nAustria and Germany',
    );
    await expectAccessible(page, 'the countries of documents');
    await close();
  });
});
