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
import { enrolledPhone, signedCall } from '../support/checks/phone.ts';
import { call, clientOf, done, newLink } from '../support/http/client.ts';
import { eventually } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();
const threeProofs = { required_proofs: ['device', 'nfc_passport', 'phone'] } as const;
const client = clientOf(own.api_key);
let browser: Browser;

/** A phone that joins the session of a page and waits for its owner. */
async function pairedPhone(uuid: string): Promise<{ id: string; token: string }> {
  // In development a phone of this machine joins the page that waits on it.
  const here = { headers: { 'x-forwarded-for': '127.0.0.1' } };
  const body = { link_uuid: uuid, client: 'mobile' } as const;
  const { link_session_id: id, check_token: token } = await clientOf(null, here).trustChecks.begin({
    body,
  });
  const path = `/v2/trust-checks/${id}/pair`;
  const device = await enrolledPhone();
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

  it('follows a phone from waiting to passed, each state and proof as it comes', async () => {
    const address = followed.addressOf(
      await newLink({ ...threeProofs, title: 'Friday’s interview' }),
    );
    const watched = await openPage(browser, { ...desktop, timezoneId: 'Asia/Kathmandu' });
    const { page } = watched;
    await page.goto(address);
    const states = await followed.noteStates(page);
    await followed.waitForState(page, 'opened');
    expect(await page.title()).toBe('Friday’s interview · Example account');
    const [ahead, unexpected] = [page.locator('#ahead'), page.locator('#unexpected')];
    expect([await ahead.isVisible(), await unexpected.isVisible()]).toEqual([true, true]);
    expect((await followed.runPhone(address)).status).toBe('passed');
    await followed.waitForState(page, 'passed');
    // Nothing of it is to come any more.
    expect([await ahead.isVisible(), await unexpected.isVisible()]).toEqual([false, false]);
    await page.getByText('The signed record is kept').waitFor();
    expect((await states()).filter((state) => state !== 'waiting' && state !== 'created')).toEqual([
      'opened',
      'paired',
      'collecting',
      'processing',
      'passed',
    ]);
    expect((await followed.history(page)).filter((line) => !line.endsWith('to do'))).toEqual([
      'The check begins',
      'This page waits for your phone',
      'Your phone joins',
      'You agree',
      'Your phone: confirmed',
      'The chip of your passport: confirmed',
      'Your phone number: confirmed',
      'Everything is in',
      'Passed',
      'The signed record is kept',
    ]);
    expect(await page.locator('#zone').innerText()).toBe('Times of this device, UTC+05:45');
    const time = page.locator('#history time').first();
    expect(await time.getAttribute('datetime')).toMatch(/^20\S+Z$/);
    expect(await time.getAttribute('title')).toMatch(/\d.* UTC\+05:45$/);
    expect(await page.locator('[data-verdict="passed"] .verdict').allTextContents()).toEqual([
      'confirmed',
      'confirmed',
      'confirmed',
    ]);
    expect(await page.locator('#scan').isVisible()).toBe(false);
    expect(await page.title()).toContain('Passed');
    await expectAccessible(page, 'a check that passed');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('says why it failed, and what became of each proof', async () => {
    const address = followed.addressOf(
      await newLink({ max_attempts: 2, required_proofs: ['phone', 'device'] }),
    );
    const watched = await openPage(browser);
    await watched.page.goto(address);
    const states = await followed.noteStates(watched.page);
    await followed.waitForState(watched.page, 'opened');
    expect((await followed.runPhone(address, 'wrong_code')).status).toBe('failed');
    await followed.waitForState(watched.page, 'failed');
    expect(await states()).toContain('collecting');
    const shown = await watched.page.locator('main').innerText();
    expect(shown).toContain('Not passed');
    expect(shown).toContain('The last attempt was not right either.');
    expect(shown).toMatch(/not accepted: the code was wrong/);
    expect((await followed.history(watched.page)).join('\n')).toContain(
      'try again: the code was wrong (1 of 2)',
    );
    await expectAccessible(watched.page, 'a check that failed');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('tells a refusal on the phone, and an end by whoever asked', async () => {
    for (const [end, state] of [
      ['refuse', 'declined'],
      ['cancel', 'canceled'],
    ] as const) {
      const uuid = await newLink();
      const watched = await openPage(browser);
      await watched.page.goto(followed.addressOf(uuid));
      await followed.waitForState(watched.page, 'opened');
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

  it('begins again from the keyboard after an end that left nothing', async () => {
    const uuid = await newLink();
    const watched = await openPage(browser);
    const { page } = watched;
    await page.goto(followed.addressOf(uuid));
    await followed.waitForState(page, 'opened');
    const first = await page.locator('#reference code').innerText();
    await client.trustChecks.cancel({ id: first, body: {} });
    await followed.waitForState(page, 'canceled');
    await page.getByRole('button', { name: 'Begin again' }).waitFor();
    for (let presses = 0; presses < 5; presses += 1) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement.id')) === 'go') break;
    }
    await page.keyboard.press('Enter');
    await followed.waitForState(page, 'opened');
    expect(await page.locator('#reference code').innerText()).not.toBe(first);
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('goes on with its session when it is loaded again, and begins no second one', async () => {
    const uuid = await newLink();
    const watched = await openPage(browser);
    await watched.page.goto(followed.addressOf(uuid));
    await followed.waitForState(watched.page, 'opened');
    await watched.page.reload();
    await followed.waitForState(watched.page, 'opened');
    expect((await client.trustChecks.list({ link_uuid: uuid })).total).toBe(1);
    expect((await followed.runPhone(followed.addressOf(uuid))).status).toBe('passed');
    await followed.waitForState(watched.page, 'passed');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('tells a second browser that a single-use link is in use', async () => {
    const uuid = await newLink({ single_use: true });
    const [first, second] = [await openPage(browser), await openPage(browser)];
    await first.page.goto(followed.addressOf(uuid));
    await followed.waitForState(first.page, 'opened');
    await second.page.goto(followed.addressOf(uuid));
    await followed.waitForState(second.page, 'stuck');
    expect(await second.page.locator('#state').innerText()).toContain('This link is in use');
    // The browser itself notes the 409 by which the page knows.
    const ours = second.complaints.filter((text) => !text.includes('409 (Conflict)'));
    expectQuiet({ ...second, complaints: ours }, baseUrl);
    expectQuiet(first, baseUrl);
    await Promise.all([first.close(), second.close()]);
  });

  it('needs no script up to the code', async () => {
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
      'DEVELOPMENT: the service accepts simulated evidence, which proves nothing about a person.',
      'Example account asks you to confirm who you are',
      'The chip of your passport',
      'your full name',
      'What happens next',
      'Nothing is collected before you agree',
      'You can scan the code',
    ]) {
      expect(shown).toContain(words);
    }
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('is as good on a phone’s screen, at 200 %, and while it waits', async () => {
    const title = `${'A title that goes on '.repeat(9)}${'x'.repeat(11)}`;
    const address = followed.addressOf(await newLink({ ...threeProofs, title }));
    const screens = [desktop, phone, { viewport: { width: 640, height: 450 } }];
    for (const [index, size] of screens.entries()) {
      const watched = await openPage(browser, size);
      await watched.page.goto(address);
      await followed.waitForState(watched.page, 'opened');
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

  it('changes nothing until its reader goes on; the code it draws leads to its session', async () => {
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
    const button = page.getByRole('button', { name: 'Go on' });
    await button.waitFor();
    await expectAccessible(page, 'an emailed link');
    expect((await client.links.raw({ link_uuid })).sessions).toEqual([]);
    await button.click();
    await followed.waitForState(page, 'opened');
    const led = (await page.locator('#app').getAttribute('href')) ?? '';
    expect(led).toMatch(/#p=tc_\w+\.[\w-]{22}$/);
    await page.locator('#code path').waitFor();
    const [, path = 'none'] = / d="([^"]+)"/.exec(renderSVG(led, { border: 2 })) ?? [];
    await expect.poll(() => page.locator('#code path').getAttribute('d')).toBe(path);
    expect((await followed.runPhone(led)).status).toBe('passed');
    await followed.waitForState(page, 'passed');
    await page.reload();
    await followed.waitForState(page, 'consumed');
    const [, token = ''] = address.split('#t=');
    expect(token.length).toBeGreaterThan(20);
    expect(watched.requests.filter((url) => url.includes(token))).toEqual([]);
    expectQuiet(watched, baseUrl);

    await page.goto(address.split('#')[0] ?? '');
    expect(await page.locator('#state').innerText()).toContain('has been used');
    await watched.close();
  });

  it('says so when its token is missing', async () => {
    const { link_uuid } = await client.links.send({
      app_id: own.app_id,
      body: { send_to_email: 'token@example.test' },
    });
    const watched = await openPage(browser);
    await watched.page.goto(followed.addressOf(link_uuid));
    await followed.waitForState(watched.page, 'stuck');
    expect(await watched.page.locator('#state').innerText()).toContain('Part of the address');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });
});
