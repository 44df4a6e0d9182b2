import type { Browser, Page } from 'playwright-core';
import { renderSVG } from 'uqr';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expectAccessible,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
  phone as screenOfPhone,
} from '../../support/browser/browser.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { withMouse } from '../../support/browser/person.ts';
import { call, newLink, newNumber } from '../../support/http/client.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl } = ownPlatform();
const userAgent = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/153.0.0.0 Mobile Safari/537.36';
const aPhone = { ...screenOfPhone, isMobile: true, userAgent };

/** Returns the next address that a page creates for another device. */
async function nextAddress(page: Page): Promise<string> {
  const answer = await page.waitForResponse((response) => response.url().endsWith('/pair-token'));
  const { pair_url } = (await answer.json()) as { pair_url: string };
  return pair_url.replace('#', '?format_type=H#');
}

/** Waits until a page shows the code of an address. */
async function waitForCode(page: Page, address: string): Promise<void> {
  const [, path = 'none'] =
    / d="([^"]+)"/.exec(renderSVG(address, { border: 2, pixelSize: 1 })) ?? [];
  const drawn = () => page.locator('#code path').getAttribute('d');
  await expect.poll(drawn, { timeout: 40_000 }).toBe(path);
}

/** Returns the link that was sent to a phone number. */
const linkSentTo = (number: string): Promise<string> =>
  eventually(`a link for ${number}`, async () => {
    const { body } = await call('GET', '/outbox/messages?limit=200');
    const items = body['items'] as { recipient: string; text: string }[];
    return items.find(({ recipient }) => recipient === number)?.text.split('\n')[1];
  });

async function join(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('button', { name: 'Continue on this device' }).click();
}

describe.skipIf(missing)('a check that continues on another device', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('is joined through the link in a text message', async () => {
    const watched = await openPage(browser);
    const { page } = watched;
    await page.goto(addressOf(await newLink({ required_proofs: ['document'] })));
    await page.getByRole('button', { name: 'Continue on your phone' }).click();
    await waitForScreen(page, 'scan');
    await page.getByText('Send the link by text message').click();
    await expectAccessible(page, 'a link that is sent to a phone');
    const number = newNumber();
    await withMouse(page).choose('check.phone.country', 'DE');
    await page.getByRole('textbox', { name: 'Phone number' }).fill(number);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText(/^We sent the link to \+49/).waitFor();
    const phone = await openPage(browser);
    await join(phone.page, await linkSentTo(number));
    await waitForScreen(phone.page, 'consent');
    expect(await phone.page.locator('#reference code').innerText()).toBe(
      await page.locator('#reference code').innerText(),
    );
    for (const each of [phone, watched]) expectQuiet(each, baseUrl);
    for (const each of [phone, watched]) await each.close();
  });

  it.each([
    ['of its begin', '**/v2/trust-checks'],
    ['of its pairing', '**/pair'],
  ])('is joined by a page that reloads before the answer %s arrives', async (_which, lost) => {
    const watched = await openPage(browser);
    await watched.page.goto(addressOf(await newLink()));
    await watched.page.getByRole('button', { name: 'Continue here' }).click();
    await waitForScreen(watched.page, 'consent');
    const shown = nextAddress(watched.page);
    await watched.page.getByRole('button', { name: 'Continue on another device' }).click();
    const phone = await openPage(browser);
    let isLost = false;
    await phone.page.route(lost, async (route) => {
      const response = await route.fetch();
      if (isLost) return route.fulfill({ response });
      isLost = response.ok();
      // The token is used up, but the page does not receive the answer.
      return isLost ? new Promise<void>(() => undefined) : route.fulfill({ response });
    });
    await join(phone.page, await shown);
    await eventually('the lost answer', async () => isLost);
    await phone.page.reload();
    await phone.page.getByRole('button', { name: 'Continue on this device' }).click();
    await waitForScreen(phone.page, 'consent');
    expect(await phone.page.locator('#reference code').innerText()).toBe(
      await watched.page.locator('#reference code').innerText(),
    );
    for (const each of [phone, watched]) await each.close();
  });

  it('shows its address when the browser refuses to copy it', async () => {
    const { page, close } = await openPage(browser);
    await page.addInitScript(`navigator.clipboard.writeText = () => Promise.reject(new Error())`);
    await page.goto(addressOf(await newLink()));
    await page.getByRole('button', { name: 'Continue on your phone' }).click();
    await page.getByRole('button', { name: 'Copy the link' }).click();
    await page.locator('main code', { hasText: '#p=tc_' }).waitFor();
    await expectAccessible(page, 'a link that the browser does not copy');
    await close();
  });

  it('is offered on a phone as a link, and as a code on request', async () => {
    const watched = await openPage(browser, aPhone);
    const { page } = watched;
    await page.goto(addressOf(await newLink()));
    await page.getByRole('button', { name: 'Continue here' }).click();
    await waitForScreen(page, 'consent');
    const shown = nextAddress(page);
    await page.getByRole('button', { name: 'Continue on another device' }).click();
    await waitForScreen(page, 'scan');
    await page.getByRole('heading', { name: 'Continue on another device' }).waitFor();
    await page.getByRole('button', { name: 'Copy the link' }).waitFor();
    await page.getByText('Send the link by text message').waitFor();
    await page.getByText('The other device displays the same number').waitFor();
    expect(await page.locator('#code, #app').count()).toBe(0);
    await page.getByText('Show the code').click();
    await waitForCode(page, await shown);
    await expectAccessible(page, 'a code on a phone');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('is joined once by a code, then the page shows another code', async () => {
    const watched = await openPage(browser);
    const { page } = watched;
    await page.goto(addressOf(await newLink()));
    await page.getByRole('button', { name: 'Continue here' }).click();
    await waitForScreen(page, 'consent');
    const shown = nextAddress(page);
    await page.getByRole('button', { name: 'Continue on another device' }).click();
    await waitForScreen(page, 'scan');
    const first = await shown;
    await waitForCode(page, first);
    const phone = await openPage(browser);
    const pairing = await page.locator('.pairing [data-pairing]').innerText();
    await phone.page.goto(first);
    const numberOfPhone = () => phone.page.locator('#joined [data-pairing]').innerText();
    await expect.poll(numberOfPhone).toBe(pairing);
    await phone.page.getByRole('button', { name: 'Continue on this device' }).click();
    await waitForScreen(phone.page, 'consent');
    expect(await numberOfPhone()).toBe(pairing);
    // The page polls, and draws the new code.
    await expect
      .poll(async () => (await nextAddress(page)) !== first, { timeout: 60_000 })
      .toBe(true);
    const second = await nextAddress(page);
    await waitForCode(page, second);
    const late = await openPage(browser);
    await join(late.page, first);
    await waitForScreen(late.page, 'stuck-pair_token_ended');
    await expectAccessible(late.page, 'a code that was used');
    await join(late.page, second);
    await waitForScreen(late.page, 'consent');
    await late.page.getByRole('button', { name: 'I agree' }).click();
    // The check continues elsewhere, and the page that offered it says so.
    await waitForScreen(page, 'elsewhere');
    await page.getByText('Show the code').click();
    await page.getByRole('button', { name: 'Continue here instead' }).click();
    for (const each of [phone, watched]) expectQuiet(each, baseUrl);
    for (const each of [late, phone, watched]) await each.close();
  });
});
