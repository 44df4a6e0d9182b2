import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectQuiet, missing, openBrowser, openPage } from '../../support/browser/browser.ts';
import { giveCamera } from '../../support/browser/camera.ts';
import { showDocument } from '../../support/browser/finish.ts';
import { addressOf, history, waitForScreen } from '../../support/browser/follow.ts';
import { withMouse } from '../../support/browser/person.ts';
import { call, clientOf, codeFor, newLink, newNumber } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl } = ownPlatform();

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();
const reference = (page: Page): Promise<string> => page.locator('#reference code').innerText();

/** Begins a check of a phone number and requests the code. */
async function askCode(page: Page, address: string): Promise<string> {
  await page.goto(address);
  const person = withMouse(page);
  await person.press('check.welcome.here');
  await waitForScreen(page, 'consent');
  await person.press('check.consent.agree');
  await waitForScreen(page, 'phone');
  return sendCode(page, newNumber());
}

async function sendCode(page: Page, number: string): Promise<string> {
  const person = withMouse(page);
  await person.choose('check.phone.country', 'DE');
  await person.type('check.phone.number', number);
  await person.press('check.phone.send');
  await waitForScreen(page, 'code');
  return number;
}

async function typeCode(page: Page, number: string): Promise<void> {
  await withMouse(page).type('check.code.code', await codeFor(number));
  await withMouse(page).press('check.code.confirm');
  await waitForScreen(page, 'passed');
}

describe.skipIf(missing)('a resumed check', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('asks for the sent code after a reload', async () => {
    const watched = await openPage(browser);
    const { page } = watched;
    const number = await askCode(page, addressOf(await newLink()));
    const lead = await page.locator('.lead').innerText();
    await page.reload();
    await waitForScreen(page, 'code');
    expect(await page.locator('.lead').innerText()).toBe(lead);
    await typeCode(page, number);
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('continues when the person presses begin before the stored check is read', async () => {
    const { page, close } = await openPage(browser);
    const number = await askCode(page, addressOf(await newLink()));
    const begun: string[] = [];
    page.on('request', (request) => {
      const isBegin = request.method() === 'POST' && request.url().endsWith('/v2/trust-checks');
      if (isBegin) begun.push(request.url());
    });
    const { promise: pressed, resolve: answer } = Promise.withResolvers<void>();
    await page.route(/\/v2\/trust-checks\/tc_\w+$/, async (route) => {
      await pressed;
      await route.continue();
    });
    await page.reload();
    await withMouse(page).press('check.welcome.here');
    answer();
    await waitForScreen(page, 'code');
    expect(begun).toEqual([]);
    await typeCode(page, number);
    await close();
  });

  it('asks for the sent code on a device that joins', async () => {
    const [watched, other] = [await openPage(browser), await openPage(browser)];
    const number = await askCode(watched.page, addressOf(await newLink()));
    const answered = watched.page.waitForResponse((response) =>
      response.url().endsWith('/pair-token'),
    );
    await withMouse(watched.page).press('check.move');
    const { pair_url } = (await (await answered).json()) as { pair_url: string };
    await other.page.goto(pair_url.replace('#', '?format_type=H#'));
    await withMouse(other.page).press('check.welcome.join');
    await waitForScreen(other.page, 'code');
    await typeCode(other.page, number);
    for (const each of [watched, other]) await each.close();
  });

  it('asks for the sent code in another tab, which cannot send a second one yet', async () => {
    const { page, context, close } = await openPage(browser);
    const address = addressOf(await newLink());
    await page.goto(address);
    await withMouse(page).press('check.welcome.here');
    await waitForScreen(page, 'consent');
    await withMouse(page).press('check.consent.agree');
    await waitForScreen(page, 'phone');
    const second = await context.newPage();
    await second.goto(address);
    await waitForScreen(second, 'phone');
    const number = await sendCode(page, newNumber());
    await sendCode(second, number);
    expect(await second.getByRole('alert').innerText()).toContain('Wait a moment');
    await typeCode(second, number);
    await close();
  });

  it('is the same check in two tabs that begin at the same time', async () => {
    const { page, context, close } = await openPage(browser);
    const uuid = await newLink({ single_use: true });
    const second = await context.newPage();
    await Promise.all([page, second].map((tab) => tab.goto(addressOf(uuid))));
    await Promise.all([page, second].map((tab) => withMouse(tab).press('check.welcome.here')));
    await Promise.all([page, second].map((tab) => waitForScreen(tab, 'consent')));
    await withMouse(second).press('check.consent.agree');
    await Promise.all([page, second].map((tab) => waitForScreen(tab, 'phone')));
    const { body } = await call('GET', `/v2/trust-checks?link_uuid=${uuid}`, {
      token: ownPlatform().own.api_key,
    });
    expect(body['items']).toHaveLength(1);
    await close();
  });

  it('shows the outcome of a single-use link after a reload, in the same tab only', async () => {
    const { page, context, close } = await openPage(browser);
    const address = addressOf(await newLink({ single_use: true }));
    const number = await askCode(page, address);
    await typeCode(page, number);
    const id = await reference(page);
    await page.reload();
    await waitForScreen(page, 'passed');
    expect(await reference(page)).toBe(id);
    await expect.poll(() => history(page)).not.toEqual([]);
    const second = await context.newPage();
    await second.goto(address);
    await waitForScreen(second, 'link-consumed');
    await close();
  });

  it('leaves nothing stored after a reusable link: the next person begins their own', async () => {
    const { page, close } = await openPage(browser);
    const address = addressOf(await newLink());
    await typeCode(page, await askCode(page, address));
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    await page.reload();
    await waitForScreen(page, 'welcome');
    await close();
  });

  it('leaves nothing stored when a reusable link’s check ended with the page closed', async () => {
    const { page, close } = await openPage(browser);
    const address = addressOf(await newLink());
    await askCode(page, address);
    const id = await reference(page);
    await page.goto('about:blank');
    const { own } = ownPlatform();
    await call('POST', `/v2/trust-checks/${id}/cancel`, { token: own.api_key, body: {} });
    await page.goto(address);
    await expect.poll(() => page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    await waitForScreen(page, 'welcome');
    await close();
  });

  it('sends another code after a reload, once the number is entered again', async () => {
    const { page, close } = await openPage(browser);
    await askCode(page, addressOf(await newLink()));
    await page.reload();
    await waitForScreen(page, 'code');
    await page.clock.install();
    await page.clock.fastForward(70_000);
    await withMouse(page).press('check.code.resend');
    await waitForScreen(page, 'phone');
    await close();
  });

  it('stays at its step after a reload and on a device that joins', async () => {
    const [watched, other] = [await openPage(browser), await openPage(browser)];
    const { page } = watched;
    const person = withMouse(page);
    for (const each of [page, other.page]) await giveCamera(each);
    const required_proofs = ['document', 'biometric'] as const;
    await page.goto(addressOf(await newLink({ required_proofs: [...required_proofs] })));
    await person.press('check.welcome.here');
    await waitForScreen(page, 'consent');
    const reload = async (screen: string): Promise<void> => {
      await page.reload();
      await waitForScreen(page, screen);
    };
    await reload('consent');
    await person.press('check.consent.agree');
    await waitForScreen(page, 'document');
    await reload('document');
    await person.press('check.kind.passport');
    await waitForScreen(page, 'document-front');
    await reload('document');
    await showDocument(person);
    await waitForScreen(page, 'face');
    await reload('face');
    const answered = page.waitForResponse((response) => response.url().endsWith('/pair-token'));
    await person.press('check.move');
    const { pair_url } = (await (await answered).json()) as { pair_url: string };
    await other.page.goto(pair_url.replace('#', '?format_type=H#'));
    await withMouse(other.page).press('check.welcome.join');
    await waitForScreen(other.page, 'face');
    for (const each of [watched, other]) await each.close();
  });

  it('survives a temporary refusal', async () => {
    const { page, close } = await openPage(browser);
    await page.goto(addressOf(await newLink({ single_use: true, required_proofs: ['phone'] })));
    await press(page, 'Continue here');
    await waitForScreen(page, 'consent');
    const id = await reference(page);
    const refuse = (status: number, code: string) => ({
      status,
      contentType: 'application/problem+json',
      body: JSON.stringify({ code, title: code, status }),
    });
    await page.route(`**/v2/trust-checks/${id}`, (route) =>
      route.fulfill(refuse(401, 'credential_expired')),
    );
    await page.route('**/v2/trust-checks', (route) => route.fulfill(refuse(429, 'rate_limited')));
    await page.reload();
    await press(page, 'Continue here');
    await waitForScreen(page, 'stuck-rate_limited');
    await page.unrouteAll();
    await press(page, 'Try again');
    await waitForScreen(page, 'consent');
    expect(await reference(page)).toBe(id);
    await close();
  });

  it('continues with its resume token when its check token has expired', async () => {
    const { page, close } = await openPage(browser);
    const uuid = await newLink();
    await page.goto(addressOf(uuid));
    await press(page, 'Continue here');
    await waitForScreen(page, 'consent');
    const id = await reference(page);
    let refusals = 0;
    await page.route(`**/v2/trust-checks/${id}*`, (route) => {
      refusals += 1;
      return route.fulfill({ status: 401, contentType: 'application/json', body: '{}' });
    });
    await page.routeWebSocket('**/socket.io/**', (socket) => void socket.close());
    await page.reload();
    await waitForScreen(page, 'consent');
    expect(refusals).toBeGreaterThan(0);
    expect(await reference(page)).toBe(id);
    await close();
  });

  it('continues when the network returns', async () => {
    const { page, context, close } = await openPage(browser);
    const { own } = ownPlatform();
    const uuid = await newLink();
    await page.goto(addressOf(uuid));
    await press(page, 'Continue here');
    await waitForScreen(page, 'consent');
    const id = await reference(page);
    await context.setOffline(true);
    await page.locator('.offline:not(:empty)').waitFor();
    await clientOf(own.api_key).trustChecks.cancel({ id, body: { reason: 'no longer needed' } });
    await context.setOffline(false);
    await waitForScreen(page, 'canceled');
    await expect.poll(() => page.locator('.offline').innerText()).toBe('');
    await close();
  });
});
