import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missing, openBrowser, openPage } from '../support/browser/browser.ts';
import { addressOf, runPhone } from '../support/browser/follow.ts';
import { codeFor, collecting, newLink, newNumber } from '../support/http/client.ts';
import { eventually, openTestDb } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { temporalUiUrl, databaseUrl } = ownPlatform();
const mark = `CANARY${process.pid}`;
const deadlines = 'deadlines: 72 h unopened, 30 min idle, 24 h in all';
const planted: string[] = [mark];
let browser: Browser;

const addressOfWorkflow = (id: string, ui = temporalUiUrl): string =>
  `${ui}/namespaces/default/workflows/${encodeURIComponent(id)}`;

/**
 * Returns what an operator sees of a workflow: its history and, once it contains `words`, its
 * metadata.
 */
async function readWorkflow(page: Page, id: string, words: string) {
  await page.goto(addressOfWorkflow(id));
  await page.getByText('Workflow Execution Started').waitFor();
  await page.getByText('"link_session_id"').first().waitFor();
  const history = await textOf(page);
  await page.locator('a[href$="/user-metadata"]').click();
  const metadata = await eventually(`the UI says ${words}`, async () => {
    const text = await textOf(page);
    return text.includes(words) && text;
  });
  const all = `${history}\n${metadata}\n${await page.content()}`;
  for (const secret of planted) expect(all.includes(secret), `${secret} of ${id}`).toBe(false);
  return { history, metadata };
}

/** Returns all text, including the frames in which the UI shows workflow metadata. */
async function textOf(page: Page): Promise<string> {
  const texts = page.frames().map((frame) => frame.evaluate<string>('document.body.innerText'));
  const read = await Promise.allSettled(texts);
  return read.map((each) => (each.status === 'fulfilled' ? each.value : '')).join('\n');
}

async function plantedLink(): Promise<{ uuid: string; number: string }> {
  const number = newNumber();
  planted.push(number, number.slice(1));
  const uuid = await newLink({
    title: `${mark} title`,
    required_proofs: ['device', 'nfc_passport', 'phone'],
    matching_params: { custom: { badge: mark }, phone_number: number },
    metadata: { note: mark },
  });
  return { uuid, number };
}

describe.skipIf(missing)('the Temporal UI', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('describes a finished check: its subject, how it ended, that no deadline is left', async () => {
    const { uuid, number } = await plantedLink();
    const done = await runPhone(addressOf(uuid), undefined, number);
    expect(done.status).toBe('passed');
    planted.push(await codeFor(number));
    const watched = await openPage(browser);
    const id = `trust-check/${done.link_session_id}`;
    const { history, metadata } = await readWorkflow(watched.page, id, 'Last change');
    expect(history).toContain('Completed');
    expect(history).toContain('"status": "passed"');
    for (const step of ['begin', 'pair', 'consent', 'submitProof', 'judgeProof', deadlines]) {
      expect(history).toContain(step);
    }
    for (const words of [
      'Trust check: phone, device, nfc_passport; account ',
      'A person proves who they are, from opening a link to a signed record.',
      'passed: every proof held',
      'Ended: no deadline is left.',
      'nfc_passport',
      '1 of 3',
      deadlines,
    ]) {
      expect(metadata).toContain(words);
    }
    await watched.close();
  });

  it('describes a check in progress: its state, its proofs and its deadline', async () => {
    const number = newNumber();
    planted.push(number, number.slice(1));
    const session = await collecting(await newLink({ title: `${mark} title` }));
    await session.step('phone/code', { phone_number: number });
    const code = await codeFor(number);
    planted.push(code);
    const wrong = code === '999999' ? '999998' : '999999';
    await session.step('proofs/phone', { code: wrong });
    const watched = await openPage(browser);
    const { history, metadata } = await readWorkflow(
      watched.page,
      `trust-check/${session.id}`,
      'Last change',
    );
    expect(history).toContain('Running');
    expect(history).toContain(deadlines);
    expect(metadata).toContain('collecting: the person has agreed and hands in the proofs');
    expect(metadata).toMatch(
      /Deadline: abandoned at 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC if nobody acts\./,
    );
    expect(metadata).toMatch(/phone\s+can be tried again\s+1 of 3\s+code_wrong/);
    await watched.close();
  });

  it('describes the issuing of an affidavit and its step', async () => {
    const { uuid, number } = await plantedLink();
    const done = await runPhone(addressOf(uuid), undefined, number);
    const db = openTestDb(databaseUrl);
    const affidavitId = await eventually('the affidavit', async () => {
      const { rows } = await db.query<{ affidavit_id: string }>(
        `SELECT affidavit_id FROM affidavits
         WHERE link_session_id = '${done.link_session_id}' AND status = 'available'`,
      );
      return rows[0]?.affidavit_id;
    });
    await db.end();
    const watched = await openPage(browser);
    const { history, metadata } = await readWorkflow(
      watched.page,
      `affidavit/${affidavitId}`,
      'available:',
    );
    expect(history).toContain('render, seal and store the affidavit');
    expect(metadata).toContain(`Affidavit of ${done.link_session_id}`);
    expect(metadata).toContain(`available: the affidavit of trust-check/${done.link_session_id}`);
    await watched.close();
  });

  it('decrypts under another host name of this machine', async () => {
    const session = await collecting(await newLink());
    const watched = await openPage(browser);
    const byName = temporalUiUrl.replace('127.0.0.1', 'localhost');
    await watched.page.goto(addressOfWorkflow(`trust-check/${session.id}`, byName));
    await watched.page.getByText('"link_session_id"').first().waitFor();
    await watched.close();
  });

  it('shows only ids and ciphertext when the codec refuses its origin', async () => {
    const session = await collecting(await newLink());
    const id = `trust-check/${session.id}`;
    const watched = await openPage(browser);
    const refused = watched.page.waitForEvent('requestfailed', (request) =>
      request.url().includes('/codec/decode'),
    );
    // The API does not know the UI under this host name. To a browser, `.localhost` is this machine
    // as well (RFC 6761 section 6.3).
    const stranger = temporalUiUrl.replace('127.0.0.1', 'stranger.localhost');
    await watched.page.goto(addressOfWorkflow(id, stranger));
    await watched.page.getByText('Workflow Execution Started').waitFor();
    await refused;
    const shown = await watched.page.content();
    expect(shown).toContain(session.id);
    for (const words of ['attempts_max', 'idleMs', 'Trust check: phone', deadlines]) {
      expect(shown.includes(words), words).toBe(false);
    }
    await watched.close();
  });
});
