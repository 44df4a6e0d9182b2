import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectQuiet, missing, openBrowser, openPage } from '../../support/browser/browser.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { withMouse } from '../../support/browser/person.ts';
import { call, newLink, newNumber } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl } = ownPlatform();
let browser: Browser;

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name }).first().click();

/** Records the API calls that a page makes from now on. */
function callsOf(page: Page): Request[] {
  const calls: Request[] = [];
  page.on('request', (request) => {
    if (request.url().startsWith(`${baseUrl}/v2/trust-checks`)) calls.push(request);
  });
  return calls;
}

/** Opens the page of a link, after a script that changes the browser, and begins its check. */
async function begunPage(script = '') {
  const uuid = await newLink();
  const watched = await openPage(browser);
  if (script) await watched.page.addInitScript(script);
  const calls = callsOf(watched.page);
  await watched.page.goto(addressOf(uuid));
  await press(watched.page, 'Continue here');
  return { ...watched, watched, calls, uuid };
}

describe.skipIf(missing)('the browser of a check', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('signs each call with a key that no script can read, and begins in one request', async () => {
    const { page, watched, calls } = await begunPage();
    await waitForScreen(page, 'consent');
    const begins = calls.filter((each) => each.url() === `${baseUrl}/v2/trust-checks`);
    expect(begins).toHaveLength(1);
    const proofs = await Promise.all(calls.map((each) => each.headerValue('dpop')));
    expect(proofs.length).toBeGreaterThan(2);
    expect(proofs.every((proof) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(proof ?? ''))).toBe(true);
    expect(new Set(proofs).size).toBe(proofs.length);
    const stored = await page.evaluate<string>(`(async () => {
      const ended = (request) => new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
      const database = await ended(indexedDB.open('trustcheck'));
      const { privateKey } = await ended(database.transaction('keys').objectStore('keys').get('browser'));
      return crypto.subtle.exportKey('jwk', privateKey).then(() => 'exported', ({ name }) => name);
    })()`);
    expect(stored).toBe('InvalidAccessError');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('continues with the same key after a reload', async () => {
    const { page, watched, calls } = await begunPage();
    await waitForScreen(page, 'consent');
    calls.length = 0;
    await page.reload();
    await waitForScreen(page, 'consent');
    expect(calls.filter((each) => each.method() === 'POST')).toEqual([]);
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it.each(['toSorted', 'timeout'])(
    'shows a browser without %s that it must be updated',
    async (name) => {
      const owner = name === 'timeout' ? 'AbortSignal' : 'Array.prototype';
      const { page, watched } = await begunPage(`delete ${owner}.${name}`);
      await page.getByText('This browser cannot continue the check').waitFor();
      await watched.close();
    },
  );

  it('stores a check token that no other browser can use', async () => {
    const { page, watched, uuid } = await begunPage();
    await waitForScreen(page, 'consent');
    const kept = await page.evaluate<string>(`localStorage.getItem('check/${uuid}')`);
    const { token, id } = (JSON.parse(kept) as { session: { token: string; id: string } }).session;
    const taken = await call('GET', `/v2/trust-checks/${id}`, { token });
    expect([taken.status, taken.body['code']]).toEqual([401, 'dpop_proof_required']);
    await watched.close();
  });

  it.each([
    ['two days behind', -2],
    ['two days ahead', 2],
  ])('works with a clock that is %s', async (_what, days) => {
    const { page, watched } = await begunPage(
      `{ const now = Date.now; Date.now = () => now() + ${days} * 24 * 3600_000; }`,
    );
    await waitForScreen(page, 'consent');
    await press(page, 'I agree');
    await waitForScreen(page, 'phone');
    await withMouse(page).choose('check.phone.country', 'DE');
    await page.getByRole('textbox', { name: 'Phone number' }).fill(newNumber());
    await press(page, 'Send the code');
    await waitForScreen(page, 'code');
    const wait = /^Send it again in [1-6]?\d seconds?$/;
    await page.getByRole('button', { name: wait, disabled: true }).waitFor();
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('keeps its key in memory when storage is refused', async () => {
    const { page, watched } = await begunPage(`for (const name of ['indexedDB', 'localStorage']) {
      Object.defineProperty(window, name, { get() { throw new Error('refused'); } });
    }`);
    await waitForScreen(page, 'consent');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('works with a storage that never answers', async () => {
    const { page, watched } = await begunPage(
      'IDBFactory.prototype.open = () => new EventTarget();',
    );
    await waitForScreen(page, 'consent');
    expectQuiet(watched, baseUrl);
    await watched.close();
  });

  it('resumes with a new key after its key was deleted', async () => {
    const { page, watched } = await begunPage();
    await waitForScreen(page, 'consent');
    await page.evaluate(`indexedDB.deleteDatabase('trustcheck')`);
    await page.reload();
    await waitForScreen(page, 'consent');
    // The browser logs the refused call.
    expect(watched.complaints.filter((text) => !text.includes('401'))).toEqual([]);
    await watched.close();
  });

  it('signs again when the nonce of the page has expired', async () => {
    const uuid = await newLink();
    const watched = await openPage(browser);
    const { page } = watched;
    const at = addressOf(uuid);
    await page.route(at, async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replace(/"nonce":"[\w-]+"/, '"nonce":"ended"');
      await route.fulfill({ response, body: text });
    });
    const calls = callsOf(page);
    await page.goto(at);
    await press(page, 'Continue here');
    await waitForScreen(page, 'consent');
    const begins = calls.filter((each) => each.url() === `${baseUrl}/v2/trust-checks`);
    expect(begins).toHaveLength(2);
    await watched.close();
  });

  it('shows what to do when it cannot create a key', async () => {
    const { page, watched, calls } = await begunPage(
      `Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined });`,
    );
    await waitForScreen(page, 'stuck-dpop_proof_required');
    expect(await page.locator('main').innerText()).toContain('an up-to-date browser');
    expect(calls).toEqual([]);
    expectQuiet(watched, baseUrl);
    await watched.close();
  });
});
