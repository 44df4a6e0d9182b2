import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentUrls } from '../../cli/data-directory/database-urls.ts';
import { freePort } from '../../cli/platform/ports.ts';
import { startService, type Service } from '../../cli/platform/services.ts';
import { devTrustSettings } from '../../simulator/roots/dev-trust.ts';
import { expectQuiet, missing, openBrowser, openPage } from '../support/browser/browser.ts';
import {
  addressOf,
  beginOnPhone,
  history,
  runPhone,
  waitForState,
} from '../support/browser/follow.ts';
import { newLink } from '../support/http/client.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { databaseUrl, temporalAddress, dataDir } = ownPlatform();
let browser: Browser;
let api: Service;
let ownUrl = '';
let start: () => Promise<Service>;

/** Starts a second API on the same platform, which can be killed without harm to the others. */
async function ownApi(): Promise<() => Promise<Service>> {
  const [port, metricsPort] = await Promise.all([freePort(), freePort()]);
  ownUrl = `http://127.0.0.1:${port}`;
  const settings = {
    PROFILE: 'development',
    DATABASE_URL: developmentUrls(databaseUrl).api,
    TEMPORAL_ADDRESS: temporalAddress,
    BASE_URL: ownUrl,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    DATA_DIR: dataDir,
    ...(await devTrustSettings(dataDir)),
  };
  const logFile = join(dataDir, 'logs', 'api-of-the-browser.log');
  return () => startService({ name: 'api', settings, healthUrl: `${ownUrl}/readyz`, logFile });
}

describe.skipIf(missing)('the page of a check when its API stops', () => {
  beforeAll(async () => {
    start = await ownApi();
    [browser, api] = await Promise.all([openBrowser(), start()]);
  });
  afterAll(async () => {
    await Promise.all([browser.close(), api.stop()]);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'receives everything after %s and a restart',
    async (signal) => {
      const uuid = await newLink();
      const watched = await openPage(browser);
      const { page } = watched;
      await page.goto(addressOf(uuid, ownUrl));
      await beginOnPhone(page);
      api.child.kill(signal);
      await api.ended;
      await page.getByText('The connection is lost').waitFor();
      // The phone continues through another API: the whole check happens while the page is offline.
      expect((await runPhone(addressOf(uuid))).status).toBe('passed');
      expect(await page.locator('[data-screen="scan"]').isVisible()).toBe(true);
      api = await start();
      await waitForState(page, 'passed');
      await page.locator('.offline').waitFor({ state: 'hidden' });
      await page.getByText('The signed record of this check is stored').waitFor();
      const lines = await history(page);
      expect(new Set(lines).size).toBe(lines.length);
      expect(lines).toContain('You agreed');
      // The browser’s own messages about a lost connection are no fault of the page.
      const ours = watched.complaints.filter(
        (text) => !/net::ERR_|WebSocket connection/.test(text),
      );
      expectQuiet({ ...watched, complaints: ours }, ownUrl);
      await watched.close();
    },
  );

  it('begins when the API returns, if it was unavailable when the page opened', async () => {
    const uuid = await newLink();
    const watched = await openPage(browser);
    const { page } = watched;
    let calls = 0;
    await page.route('**/v2/trust-checks', async (route) => {
      calls += 1;
      if (calls <= 2) await route.abort('connectionrefused');
      else await route.continue();
    });
    await page.goto(addressOf(uuid, ownUrl));
    await beginOnPhone(page);
    expect(calls).toBe(3);
    await page.locator('.offline').waitFor({ state: 'hidden' });
    await watched.close();
  });

  it('polls for events when sockets are blocked', async () => {
    const uuid = await newLink();
    const watched = await openPage(browser);
    const { page } = watched;
    await page.routeWebSocket('**/socket.io/**', (socket) => void socket.close());
    await page.goto(addressOf(uuid, ownUrl));
    await beginOnPhone(page);
    expect((await runPhone(addressOf(uuid))).status).toBe('passed');
    await waitForState(page, 'passed');
    await watched.close();
  });
});
