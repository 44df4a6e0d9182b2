import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Builder, type WebDriver, type WebElement } from 'selenium-webdriver';
import { within } from '../../../activities/vendors/provider.ts';
import { freePort } from '../../../cli/platform/ports.ts';
import { endWithUs } from '../../support/platform/end-with-us.ts';
import { eventually } from '../../support/platform/harness.ts';
import { answerMsMax, type Driven, type Tab } from './driven.ts';

interface Programs {
  /** WebKitWebDriver, which starts the MiniBrowser of its package. */
  readonly driver: string;
  /** Xvfb: MiniBrowser does not run without a display. */
  readonly display: string;
}

const startMsMax = 60_000;
/** Scripts that pass face pictures to the page take longest, because they are megabytes. */
const scriptMsMax = 120_000;

/** Starts a display, and on it a MiniBrowser that WebKitWebDriver controls (classic WebDriver). */
export async function openWebKit(programs: Programs, hasCamera: boolean): Promise<Tab> {
  const [display, number] = await startDisplay(programs.display);
  const port = await freePort();
  const driver = spawn(programs.driver, [`--port=${port}`], {
    stdio: 'ignore',
    env: { ...process.env, DISPLAY: `:${number}` },
  });
  endWithUs('WebKitWebDriver', driver.pid ?? 0);
  const url = `http://127.0.0.1:${port}`;
  await eventually('an answer of WebKitWebDriver', () =>
    fetch(`${url}/status`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const browser = await within(startMsMax, begin(url, hasCamera));
  const version = (await browser.getCapabilities()).getBrowserVersion() ?? 'of unknown version';
  return {
    ...drivenIn(browser),
    version: `WebKitGTK ${version}`,
    open: (address) => browser.get(address),
    reload: () => browser.navigate().refresh(),
    frame: (element) => Promise.resolve(drivenIn(browser, element)),
    async close() {
      await within(answerMsMax, browser.quit()).catch(() => undefined);
      // A MiniBrowser that did not quit ends with its display.
      for (const child of [driver, display]) await end(child);
    },
  };
}

/** Starts a display with a free number. */
async function startDisplay(program: string): Promise<[ChildProcess, string]> {
  const display = spawn(program, ['-displayfd', '3', '-screen', '0', '1280x1024x24'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  endWithUs('Xvfb', display.pid ?? 0);
  const [number] = (await once(display.stdio[3] as Readable, 'data')) as [Buffer];
  return [display, number.toString().trim()];
}

async function begin(url: string, hasCamera: boolean): Promise<WebDriver> {
  const args = ['--automation', `--enable-mock-capture-devices=${hasCamera}`];
  const browser = await new Builder()
    .usingServer(url)
    .withCapabilities({ browserName: 'MiniBrowser', 'webkitgtk:browserOptions': { args } })
    .build();
  await browser.manage().setTimeouts({ script: scriptMsMax });
  return browser;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** The page of a browser, or the frame that an element of the page displays. */
function drivenIn(browser: WebDriver, frame?: string): Driven {
  const enter = async (): Promise<void> => {
    await browser.switchTo().defaultContent();
    if (frame === undefined) return;
    await browser.switchTo().frame(await browser.executeScript<WebElement>(`return ${frame}`));
  };
  const find = async (element: string): Promise<WebElement> => {
    await enter();
    return browser.executeScript<WebElement>(`return ${element}`);
  };
  return {
    async evaluate<T>(expression: string) {
      await enter();
      return browser.executeScript<T>(`return ${expression}`);
    },
    click: async (element) => (await find(element)).click(),
    type: async (element, text) => (await find(element)).sendKeys(text),
  };
}
