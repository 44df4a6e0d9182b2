import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { say } from '../../../domain/languages/say.ts';
import {
  expectAccessible,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
} from '../../support/browser/browser.ts';
import { waitForScreen } from '../../support/browser/follow.ts';
import { withMouse } from '../../support/browser/person.ts';
import { clientOf, codeFor, newNumber } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl } = ownPlatform();

/** Returns the address of a link for one attempt at a phone number. */
async function linkOf(subject_reasons: 'plain' | 'neutral'): Promise<string> {
  const account = await newAccount(`told-${process.pid}-${newNumber().slice(1)}`);
  const { account_id, app_id } = account;
  const client = clientOf(account.api_key);
  await client.accounts.update({ account_id, body: { subject_reasons } });
  const asked = { required_proofs: ['phone' as const], max_attempts: 2 };
  const { link_uuid } = await client.links.create({ app_id, body: asked });
  return `${baseUrl}/v2/${app_id}/${link_uuid}`;
}

async function type(page: Page, code: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Code' }).fill(code);
  await page.getByRole('button', { name: 'Confirm' }).click();
}

/** Types a wrong code as often as the link allows, and returns the text of the end page. */
async function fail(page: Page, address: string): Promise<string> {
  await page.goto(address);
  await page.getByRole('button', { name: 'Continue here' }).click();
  await waitForScreen(page, 'consent');
  await page.getByRole('button', { name: 'I agree' }).click();
  await waitForScreen(page, 'phone');
  const number = newNumber();
  await withMouse(page).choose('check.phone.country', 'DE');
  await page.getByRole('textbox', { name: 'Phone number' }).fill(number);
  await page.getByRole('button', { name: 'Send the code' }).click();
  await waitForScreen(page, 'code');
  const wrong = (await codeFor(number)) === '000000' ? '000001' : '000000';
  await type(page, wrong);
  // The person needs it to finish, so it is shown with either setting.
  await page.getByText('The code is wrong.').waitFor();
  // The event is often there before the answer, which empties the field.
  const field = page.getByRole('textbox', { name: 'Code' });
  await expect.poll(() => field.inputValue(), { timeout: 40_000 }).toBe('');
  await type(page, wrong);
  await waitForScreen(page, 'failed');
  return page.locator('main').innerText();
}

const reasons = [
  'The last attempt was not accepted either.',
  'Not accepted.',
  'The code is wrong.',
];
const next = 'If you think this is a mistake, contact Example account.';

describe.skipIf(missing)('the end of a failed check', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('shows the reason of the outcome and of the proof', async () => {
    const watched = await openPage(browser);
    const said = await fail(watched.page, await linkOf('plain'));
    for (const reason of [...reasons, next]) expect(said).toContain(reason);
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('shows only outcome, contact and reference when the app hides reasons', async () => {
    const watched = await openPage(browser);
    const { page } = watched;
    const said = await fail(page, await linkOf('neutral'));
    for (const reason of reasons) expect(said).not.toContain(reason);
    expect(said).toContain(next);
    expect(await page.locator('#reference code').innerText()).toMatch(/^tc_/);
    expect(await page.locator('.verdict').innerText()).toBe('Submitted');
    await expectAccessible(page, 'a check that failed for no reason told');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('explains why a phone number gets no code', async () => {
    const { page, close } = await openPage(browser);
    await page.goto(await linkOf('plain'));
    await page.getByRole('button', { name: 'Continue here' }).click();
    await page.getByRole('button', { name: 'I agree' }).click();
    await waitForScreen(page, 'phone');
    await withMouse(page).choose('check.phone.country', 'DE');
    const refused = say('en', 'check.fault.phone_refused');
    for (const number of ['12', 'abc', '030 12345678']) {
      await page.getByRole('textbox', { name: 'Phone number' }).fill(number);
      await page.getByRole('button', { name: 'Send the code' }).click();
      await expect.poll(() => page.getByRole('alert').allInnerTexts()).toEqual([refused]);
    }
    await close();
  });
});
