import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missing, openBrowser, openPage } from '../../support/browser/browser.ts';
import { giveCamera } from '../../support/browser/camera.ts';
import { faceAttempts, giveNumber, showDocument, showFace } from '../../support/browser/finish.ts';
import { waitForScreen } from '../../support/browser/follow.ts';
import {
  display,
  eventsOf,
  frameOf,
  linkFor,
  resultOf,
  startHost,
} from '../../support/browser/host-page.ts';
import { withKeyboard } from '../../support/browser/person.ts';

describe.skipIf(missing)('a person with a keyboard alone, in Arabic', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  const title = 'finishes phone, document and face in a dialog of another page';
  it(title, { timeout: 900_000 }, async () => {
    const host = await startHost();
    const { page, complaints, close } = await openPage(browser);
    await giveCamera(page);
    await page.goto(host.origin);
    const required_proofs = ['phone', 'document', 'biometric'];
    const url = await linkFor([host.origin], { required_proofs, max_attempts: faceAttempts });
    await display(page, { url, locale: 'ar' });
    const frame = await frameOf(page);
    expect(await frame.locator('html').getAttribute('dir')).toBe('rtl');
    const person = withKeyboard(page, frame, 'ar');
    await person.press('check.welcome.here');
    await waitForScreen(frame, 'consent');
    await person.press('check.consent.agree');
    await giveNumber(person);
    await showDocument(person);
    await showFace(person);
    await person.press('check.redirect.go', { app: 'Example shop' });
    expect(await resultOf(page)).toMatchObject({ status: 'finished', outcome: 'passed' });
    const proofs = (await eventsOf(page)).flatMap((event) =>
      event.type === 'submitted' ? [event.proof] : [],
    );
    expect([...new Set(proofs)]).toEqual(['phone', 'document', 'biometric']);
    expect(complaints).toEqual([]);
    await close();
    await host.close();
  });
});
