import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expectAccessible,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
} from '../../support/browser/browser.ts';
import { giveCamera } from '../../support/browser/camera.ts';
import { faceAttempts, giveNumber, showDocument, showFace } from '../../support/browser/finish.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { withMouse } from '../../support/browser/person.ts';
import { verifyAffidavitOf } from '../../support/commands/verify-affidavit.ts';
import { clientOf, newLink } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();
let browser: Browser;

describe.skipIf(missing)('a person with a browser and no app', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('finishes a check with phone, document and face', { timeout: 900_000 }, async () => {
    const required_proofs = ['phone', 'document', 'biometric'] as const;
    const uuid = await newLink({
      required_proofs: [...required_proofs],
      max_attempts: faceAttempts,
    });
    const watched = await openPage(browser);
    const { page } = watched;
    const person = withMouse(page);
    await giveCamera(page);
    await page.goto(addressOf(uuid));
    await person.press('check.welcome.here');
    await waitForScreen(page, 'consent');
    await expectAccessible(page, 'consent');
    await person.press('check.consent.agree');
    await giveNumber(person);
    await showDocument(person);
    await showFace(person);
    await expectAccessible(page, 'a check that passed');
    const reference = await page.locator('#reference code').innerText();
    const { code, stdout } = await verifyAffidavitOf(reference);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^valid/m)]);
    const { proofs } = await clientOf(own.api_key).trustChecks.get({ id: reference });
    const noticed = new Map(proofs.map(({ type, capture_signals: signals }) => [type, signals]));
    expect(noticed.get('phone')).toBeUndefined();
    // The test controls this browser. Its link does not request reviews, so each proof passes.
    expect(noticed.get('document')).toContain('automated');
    expect(noticed.get('biometric')).toContain('automated');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });
});
