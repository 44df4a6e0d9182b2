import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderSVG } from 'uqr';
import {
  desktop,
  expectAccessible,
  expectQuiet,
  looks,
  missing,
  openBrowser,
  openPage,
  phone,
  sideways,
} from '../support/browser/browser.ts';
import * as followed from '../support/browser/follow.ts';
import { asPhone, enrolledPhone, signedCall } from '../support/checks/phone.ts';
import { call, clientOf, done, newLink } from '../support/http/client.ts';
import { eventually } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();
const threeProofs = { required_proofs: ['device', 'nfc_passport', 'phone'] } as const;
const client = clientOf(own.api_key);
let browser: Browser;

/** Joins the session of a page with a phone that waits for its owner. */
async function pairedPhone(uuid: string): Promise<{ id: string; token: string }> {
  // In development, a phone on this machine joins the waiting page.
  const here = { headers: { 'x-forwarded-for': '127.0.0.1' } };
  const body = { link_uuid: uuid, client: 'mobile' } as const;
  const device = await enrolledPhone();
  const { link_session_id: id, check_token: token } = await asPhone(device, () =>
    clientOf(null, here).trustChecks.begin({ body }),
  );
  const path = `/v2/trust-checks/${id}/pair`;
  const paired = await done('a pairing', () =>
    signedCall(device, 'POST', path, { token, body: {} }),
  );
  expect([paired.status, paired.text]).toEqual([200, expect.any(String)]);
  return { id, token };
}

describe.skipIf(missing)('the page of a check', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('follows a phone from waiting to passed, and shows each state and proof', async () => {
    const address = followed.addressOf(
      await newLink({ ...threeProofs, title: 'Friday’s interview' }),
    );
    const watched = await openPage(browser, { ...desktop, timezoneId: 'Asia/Kathmandu' });
    const { page } = watched;
    await page.goto(address);
    expect(await page.title()).toBe('Friday’s interview · Example app');
    await followed.beginOnPhone(page);
    const states = await followed.noteStates(page);
    expect((await followed.runPhone(address)).status).toBe('passed');
    await followed.waitForState(page, 'passed');
    await page.getByText('The signed record of this check is stored').waitFor();
    expect(await states()).toEqual(['opened', 'paired', 'collecting', 'processing', 'passed']);
    await page.getByText('What has happened so far').click();
    expect(await followed.history(page)).toEqual([
      'The check began',
      'The page was opened',
      'A device joined',
      'You agreed',
      'Everything was submitted',
      'Passed',
      'The signed record was stored',
    ]);
    const time = page.locator('#history time').first();
    expect(await time.getAttribute('datetime')).toMatch(/^20\S+Z$/);
    const verdicts = page.locator('[data-verdict="passed"] .verdict');
    expect(await verdicts.allTextContents()).toEqual(['Accepted', 'Accepted', 'Accepted']);
    expect(await page.locator('#code').isVisible()).toBe(false);
    await expectAccessible(page, 'a check that passed');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('shows why the check failed, and the verdict of each proof', async () => {
    const address = followed.addressOf(
      await newLink({ max_attempts: 2, required_proofs: ['phone', 'device'] }),
    );
    const watched = await openPage(browser);
    await watched.page.goto(address);
    await followed.beginOnPhone(watched.page);
    const states = await followed.noteStates(watched.page);
    expect((await followed.runPhone(address, 'wrong_code')).status).toBe('failed');
    await followed.waitForState(watched.page, 'failed');
    expect(await states()).toContain('collecting');
    const shown = await watched.page.locator('main').innerText();
    expect(shown).toContain('Not passed');
    expect(shown).toContain('The last attempt was not accepted either.');
    expect(shown).toContain('Not accepted. The code is wrong.');
    await expectAccessible(watched.page, 'a check that failed');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('shows a refusal on the phone, and a cancellation by the app', async () => {
    for (const [end, state] of [
      ['refuse', 'declined'],
      ['cancel', 'canceled'],
    ] as const) {
      const uuid = await newLink();
      const watched = await openPage(browser);
      await watched.page.goto(followed.addressOf(uuid));
      await followed.beginOnPhone(watched.page);
      const { id, token } = await pairedPhone(uuid);
      await followed.waitForState(watched.page, 'paired');
      const refusal = { accepted: false, tos_version: '1', claims: [] };
      const ended =
        end === 'refuse'
          ? await clientOf(token).trustChecks.consent({ id, body: refusal })
          : await client.trustChecks.cancel({ id, body: {} });
      expect(ended.status).toBe(state);
      await followed.waitForState(watched.page, state);
      const again = watched.page.getByRole('button', { name: 'Begin again' });
      expect(await again.isVisible()).toBe(state === 'canceled');
      expectQuiet(watched, baseUrl);
      await watched.close();
    }
  });

  it('begins again by keyboard after a canceled check', async () => {
    const uuid = await newLink();
    const watched = await openPage(browser);
    const { page } = watched;
    await page.goto(followed.addressOf(uuid));
    await followed.beginOnPhone(page);
    const first = await page.locator('#reference code').innerText();
    await client.trustChecks.cancel({ id: first, body: {} });
    await followed.waitForState(page, 'canceled');
    await page.getByRole('button', { name: 'Begin again' }).waitFor();
    for (let presses = 0; presses < 5; presses += 1) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement.textContent')) === 'Begin again') break;
    }
    await page.keyboard.press('Enter');
    await followed.waitForState(page, 'opened');
    expect(await page.locator('#reference code').innerText()).not.toBe(first);
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('resumes its session after a reload, and begins no second one', async () => {
    const uuid = await newLink();
    const watched = await openPage(browser);
    await watched.page.goto(followed.addressOf(uuid));
    await followed.beginOnPhone(watched.page);
    await watched.page.reload();
    await followed.waitForState(watched.page, 'opened');
    expect((await client.trustChecks.list({ link_uuid: uuid })).total).toBe(1);
    expect((await followed.runPhone(followed.addressOf(uuid))).status).toBe('passed');
    await followed.waitForState(watched.page, 'passed');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('shows a second browser that a single-use link is in use', async () => {
    const uuid = await newLink({ single_use: true });
    const [first, second] = [await openPage(browser), await openPage(browser)];
    await first.page.goto(followed.addressOf(uuid));
    await followed.beginOnPhone(first.page);
    await second.page.goto(followed.addressOf(uuid));
    await second.page.getByRole('button', { name: 'Continue here' }).click();
    await followed.waitForScreen(second.page, 'stuck-already_begun');
    // The browser logs the 409 that the page handles.
    const ours = second.complaints.filter((text) => !text.includes('409 (Conflict)'));
    expectQuiet({ ...second, complaints: ours }, baseUrl);
    expectQuiet(first, baseUrl);
    await Promise.all([first.close(), second.close()]);
  });

  it('shows the code to scan without a script', async () => {
    const address = followed.addressOf(
      await newLink({ ...threeProofs, requested_claims: ['full_name'] }),
    );
    const watched = await openPage(browser, { ...desktop, javaScriptEnabled: false });
    await watched.page.goto(address);
    const drawn = await watched.page.content();
    const [, path = 'none'] = / d="([^"]+)"/.exec(renderSVG(address, { border: 2 })) ?? [];
    expect(drawn).toContain(path);
    const shown = await watched.page.locator('main').innerText();
    for (const words of [
      'Development only',
      'Example account asks you to confirm who you are',
      'The chip of your passport',
      'Nothing begins until you press a button',
    ]) {
      expect(shown).toContain(words);
    }
    const told = await watched.page.locator('details.promise').textContent();
    expect(told).toContain('Your full name');
    const code = await watched.page.locator('.script').innerText();
    expect(code).toContain('You can also scan this code');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('fits and is accessible on a computer, on a phone and at 200 %', async () => {
    const title = `${'A title that goes on '.repeat(9)}${'x'.repeat(11)}`;
    const address = followed.addressOf(await newLink({ ...threeProofs, title }));
    const screens = [desktop, phone, { viewport: { width: 640, height: 450 } }];
    for (const [index, size] of screens.entries()) {
      const watched = await openPage(browser, size);
      await watched.page.goto(address);
      expect(await sideways(watched.page)).toBe(0);
      await followed.beginOnPhone(watched.page);
      expect(await sideways(watched.page)).toBe(0);
      await expectAccessible(watched.page, 'a check that waits', looks.slice(index, index + 1));
      expectQuiet(watched, baseUrl);
      await watched.close();
    }
  });
});

describe.skipIf(missing)('the page of an emailed link', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('begins only when the reader continues, and its code leads to the session', async () => {
    const to = `page-${Date.now()}@example.test`;
    const { link_uuid } = await client.links.send({
      app_id: own.app_id,
      body: { send_to_email: to, required_proofs: ['phone'] },
    });
    const address = await eventually('the mail', async () => {
      const { body } = await call('GET', '/outbox/messages?limit=200');
      const mail = (body['items'] as { recipient: string; text: string }[]).find(
        ({ recipient }) => recipient === to,
      );
      return mail && /http\S+#t=\S+/.exec(mail.text)?.[0];
    });
    const watched = await openPage(browser);
    const { page } = watched;
    await page.goto(address);
    await page.getByRole('button', { name: 'Continue here' }).waitFor();
    await expectAccessible(page, 'an emailed link');
    expect((await client.links.raw({ link_uuid })).sessions).toEqual([]);
    const led = await followed.addressOfSession(page, () => followed.beginOnPhone(page));
    expect(led).toMatch(/#p=tc_\w+\.1\.[\w-]{22}$/);
    const drawn = led.replace('#', '?format_type=H#');
    const [, path = 'none'] =
      / d="([^"]+)"/.exec(renderSVG(drawn, { border: 2, pixelSize: 1 })) ?? [];
    await expect.poll(() => page.locator('#code path').getAttribute('d')).toBe(path);
    expect((await followed.runPhone(led)).status).toBe('passed');
    await followed.waitForState(page, 'passed');
    await page.reload();
    await followed.waitForScreen(page, 'passed');
    const [, token = ''] = address.split('#t=');
    expect(token.length).toBeGreaterThan(20);
    expect(watched.requests.filter((url) => url.includes(token))).toEqual([]);
    expectQuiet(watched, baseUrl);

    // This tab shows the outcome of its check; another tab begins with the link.
    const second = await watched.context.newPage();
    await second.goto(address.split('#')[0] ?? '');
    await second.getByText('This link has been used').waitFor();
    await watched.close();
  });

  it('says that its token is missing', async () => {
    const { link_uuid } = await client.links.send({
      app_id: own.app_id,
      body: { send_to_email: 'token@example.test' },
    });
    const watched = await openPage(browser);
    await watched.page.goto(followed.addressOf(link_uuid));
    await followed.waitForScreen(watched.page, 'stuck-link_token_required');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });
});
