import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { photographDocument } from '../../../simulator/document/camera.ts';
import {
  expectAccessible,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
} from '../../support/browser/browser.ts';
import { giveCamera, holdBefore } from '../../support/browser/camera.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { newLink } from '../../support/http/client.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { startLateApi, type LateApi } from '../../support/http/late-api.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
let browser: Browser;
let late: LateApi;

describe.skipIf(missing)('a submission judged longer than its call lasts', () => {
  beforeAll(async () => {
    [browser, late] = await Promise.all([openBrowser(), startLateApi()]);
  });
  afterAll(() => Promise.all([browser.close(), late.stop(), db.end()]));

  it('shows that it is being checked and what the person can do, then the verdict', async () => {
    const watched = await openPage(browser);
    const { page } = watched;
    const press = (name: string) => page.getByRole('button', { name }).click();
    await page.route('**/proofs/document', (route) => {
      const { pathname } = new URL(route.request().url());
      return route.continue({ url: `${late.origin}${pathname}` });
    });
    await giveCamera(page);
    await page.goto(addressOf(await newLink({ required_proofs: ['document'] })));
    await press('Continue here');
    await waitForScreen(page, 'consent');
    await press('I agree');
    await waitForScreen(page, 'document');
    await press('Passport');
    await holdBefore(page, (await photographDocument(new Date())).front);
    await waitForScreen(page, 'document-front-review');
    await press('Use this photo');
    await waitForScreen(page, 'judging');
    const id = await page.locator('#reference code').innerText();
    // The judgment waits for this row lock, so that the screen stays.
    const holder = await db.connect();
    await holder.query('BEGIN');
    const held = await holder.query(
      `SELECT 1 FROM proof_submissions WHERE link_session_id = $1 AND judged_at IS NULL FOR UPDATE`,
      [id],
    );
    expect(held.rowCount).toBe(1);
    const words = page.locator('[data-screen="judging"] .working[role="status"]');
    expect(await words.innerText()).toContain('close it and come back later');
    expect(await page.locator('[data-proof="document"] .verdict').innerText()).toBe(
      'Being checked',
    );
    await expectAccessible(page, 'a document that is judged');
    await page.reload();
    await waitForScreen(page, 'judging');
    await holder.query('COMMIT');
    holder.release();
    await waitForScreen(page, 'passed');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });
});
