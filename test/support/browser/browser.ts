import { AxeBuilder } from '@axe-core/playwright';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type ConsoleMessage,
  type Page,
} from 'playwright-core';
import { expect } from 'vitest';
import { ownPlatform } from '../platform/own-platform.ts';
import { findChromium } from './chromium.ts';

const program = await findChromium();
/** Why browser tests cannot run on this machine; null if they can. */
export const missing = program ? null : 'no Chromium for this machine; name one by CHROMIUM_PATH';
if (missing) process.stderr.write(`skipped: ${missing}\n`);

/**
 * Opens a browser with default settings: web security is on, and no flag weakens what is tested.
 */
export async function openBrowser(): Promise<Browser> {
  if (!program) throw new Error(missing ?? '');
  return chromium.launch({
    executablePath: program.program,
    env: program.env,
    args: ['--font-render-hinting=none'],
  });
}

export const desktop = { viewport: { width: 1280, height: 900 } } as const;
export const phone = { viewport: { width: 360, height: 740 }, hasTouch: true } as const;

/** A page with a record of its requests and of the problems that the console reports. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly requests: string[];
  readonly complaints: string[];
  close(): Promise<void>;
}

export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = desktop,
): Promise<WatchedPage> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  // Generous, because the suite also runs beside other work.
  page.setDefaultTimeout(40_000);
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => void requests.push(request.url()));
  page.on('websocket', (socket) => void requests.push(socket.url()));
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning';
    if (isComplaint && !isLateAsk(message)) complaints.push(message.text());
  });
  return { page, context, requests, complaints, close: () => context.close() };
}

/** A page requests the next code to scan until it learns that no device can join any more. */
const isLateAsk = (message: ConsoleMessage): boolean =>
  message.location().url.endsWith('/pair-token') && message.text().includes('status of 409');

/** Console message for an overloaded service. The page retries. */
const isBusy = /the server responded with a status of 503/;

/** Console message for a connection cut by a killed process. The page reconnects. */
const isCut = /net::ERR_|WebSocket connection|the server responded with a status of 50[24]/;

/** Expects requests to the service only, and no problem reported by the browser. */
export function expectQuiet({ requests, complaints }: WatchedPage, baseUrl: string): void {
  const { host } = new URL(baseUrl);
  // URLs of pictures in memory contain the page's address after their scheme.
  const ofNetwork = requests.filter((url) => !/^(data|blob):/.test(url));
  const foreign = ofNetwork.filter((url) => new URL(url).host !== host);
  expect(foreign).toEqual([]);
  const { isDisturbed } = ownPlatform();
  const isExpected = (text: string) => isBusy.test(text) || (isDisturbed && isCut.test(text));
  expect(complaints.filter((text) => !isExpected(text))).toEqual([]);
}

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export interface Look {
  readonly colorScheme: 'light' | 'dark';
  readonly direction: 'ltr' | 'rtl';
}
/** Together they cover both color schemes and both text directions. */
export const looks: readonly Look[] = [
  { colorScheme: 'light', direction: 'ltr' },
  { colorScheme: 'dark', direction: 'rtl' },
];

/** Expects no axe violation of WCAG 2.2 AA and best practices, and no horizontal scrolling. */
export async function expectAccessible(
  page: Page,
  what: string,
  under: readonly Look[] = looks,
): Promise<void> {
  for (const { colorScheme, direction } of under) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(`document.documentElement.dir = '${direction}'`);
    const { violations, passes } = await new AxeBuilder({ page })
      // Without frames there are no results to merge, for which axe would open a page each time.
      .setLegacyMode(page.frames().length === 1)
      .options({ runOnly: { type: 'tag', values: rules }, resultTypes: ['violations'] })
      .analyze();
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => ({ id, target, failureSummary })),
    );
    expect(found, `${what}, ${colorScheme}, ${direction}`).toEqual([]);
    expect(passes.length).toBeGreaterThan(10);
    expect(await sideways(page), `${what}, ${direction}, scrolls sideways`).toBe(0);
  }
  await page.evaluate(`document.documentElement.removeAttribute('dir')`);
}

/** Returns by how many pixels the page is wider than the window. */
export async function sideways(page: Page): Promise<number> {
  return page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
}
