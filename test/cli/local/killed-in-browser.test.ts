import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../client/index.ts';
import { findProcesses } from '../../../cli/platform/platform-processes.ts';
import { isHealthy } from '../../../cli/platform/processes.ts';
import type { PlatformStatus } from '../../../cli/data-directory/state.ts';
import { missing, openBrowser, openPage } from '../../support/browser/browser.ts';
import { giveCamera } from '../../support/browser/camera.ts';
import { faceAttempts, giveNumber, showDocument, showFace } from '../../support/browser/finish.ts';
import { waitForScreen } from '../../support/browser/follow.ts';
import { withMouse } from '../../support/browser/person.ts';
import { ownDirectory, ownProcesses, trustcheck } from '../../support/commands/run-command.ts';
import { eventually } from '../../support/platform/harness.ts';
import { beginPlatform } from './begin-platform.ts';

const processes = ownProcesses();
const restartMsMax = 120_000;
let directory: Awaited<ReturnType<typeof ownDirectory>>;
let browser: Browser;

/** Kills a process of the platform with SIGKILL and waits until another runs in its place. */
async function kill(name: 'api' | 'worker', baseUrl: string): Promise<void> {
  const partOf = () => findProcesses(directory.path).find((part) => part.name === name);
  const before = partOf();
  if (!before) throw new Error(`no ${name} runs`);
  process.kill(before.pid, 'SIGKILL');
  await eventually(
    `another ${name}`,
    async () => {
      const now = partOf();
      return now && now.pid !== before.pid && (await isHealthy(`${baseUrl}/readyz`));
    },
    restartMsMax,
  );
  processes.note(partOf()?.pid);
}

/** A call of the page, and the processes to kill during it. */
interface During {
  readonly call: RegExp;
  readonly killed: readonly ('api' | 'worker')[];
  readonly baseUrl: string;
}

/** Kills processes when the page sends a call. */
async function killDuring(
  page: Page,
  { call, killed, baseUrl }: During,
  act: () => Promise<unknown>,
): Promise<void> {
  const sent = page.waitForRequest((request) => call.test(request.url()), { timeout: 0 });
  const isSent = sent.then(() => Promise.all(killed.map((name) => kill(name, baseUrl))));
  await Promise.all([act(), isSent]);
}

describe.skipIf(missing)('a check in a browser', () => {
  beforeAll(async () => {
    [directory, browser] = await Promise.all([ownDirectory(), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    processes.end();
    await directory.remove();
  });

  it('passes although API or worker is killed during each call', { timeout: 900_000 }, async () => {
    await beginPlatform(directory.path, processes);
    const shown = await trustcheck(directory.path, ['status', '--secrets', '--json']).ended;
    const { base_url: baseUrl, api_key, app_id } = JSON.parse(shown.stdout) as PlatformStatus;
    const client = createClient({ baseUrl, token: api_key });
    const link = await client.links.create({
      app_id,
      body: { required_proofs: ['phone', 'document', 'biometric'], max_attempts: faceAttempts },
    });
    const { page, close } = await openPage(browser);
    const person = withMouse(page);
    const met = { baseUrl, apiKey: api_key };
    await giveCamera(page);
    await page.goto(`${link.url}?format_type=H`);
    const during = (call: RegExp, ...killed: ('api' | 'worker')[]) => ({ call, killed, baseUrl });
    await killDuring(page, during(/\/trust-checks$/, 'api'), async () => {
      await person.press('check.welcome.here');
      await waitForScreen(page, 'consent', restartMsMax);
    });
    await killDuring(page, during(/\/consent$/, 'worker'), async () => {
      await person.press('check.consent.agree');
      await waitForScreen(page, 'phone', restartMsMax);
    });
    await killDuring(page, during(/\/proofs\/phone$/, 'api', 'worker'), async () => {
      await giveNumber(person, met);
      await waitForScreen(page, 'document', restartMsMax);
    });
    await killDuring(page, during(/\/evidence\//, 'api'), () =>
      killDuring(page, during(/\/proofs\/document$/, 'worker'), async () => {
        await showDocument(person);
        await waitForScreen(page, 'face', restartMsMax);
      }),
    );
    await killDuring(page, during(/\/evidence\/frame-/, 'api'), () =>
      killDuring(page, during(/\/proofs\/biometric$/, 'worker'), () => showFace(person, met)),
    );
    const id = await page.locator('#reference code').innerText();
    const passed = await eventually('its affidavit', async () => {
      const check = await client.trustChecks.get({ id });
      return check.affidavit.status === 'available' && check;
    });
    expect(passed.proofs.map(({ status }) => status)).toEqual(['passed', 'passed', 'passed']);
    const { items } = await client.trustChecks.events({ id, limit: 500 });
    const moves = items.map(({ type }) => type).filter((type) => type !== 'proof.updated');
    expect(new Set(moves).size, moves.join()).toBe(moves.length);
    await close();
  });
});
