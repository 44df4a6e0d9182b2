import puppeteer, { type ElementHandle, type Frame } from 'puppeteer-core';
import { endWithUs } from '../../support/platform/end-with-us.ts';
import type { Driven, Tab } from './driven.ts';

/** Plays a camera that shows a test picture, and grants the camera permission. */
const cameraSettings = {
  'media.navigator.streams.fake': true,
  'media.navigator.permission.disabled': true,
};

/** Starts headless Firefox and drives it through its own WebDriver BiDi server. */
export async function openFirefox(program: string, hasCamera: boolean): Promise<Tab> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: program,
    headless: true,
    extraPrefsFirefox: hasCamera ? cameraSettings : {},
  });
  endWithUs('firefox', browser.process()?.pid ?? 0);
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  return {
    ...drivenFrame(page.mainFrame()),
    version: await browser.version(),
    open: async (address) => void (await page.goto(address)),
    reload: async () => void (await page.reload()),
    async frame(element) {
      const frame = await (await elementOf(page.mainFrame(), element)).contentFrame();
      if (!frame) throw new Error(`${element} displays no frame`);
      return drivenFrame(frame);
    },
    close: () => browser.close(),
  };
}

async function elementOf(frame: Frame, expression: string): Promise<ElementHandle> {
  const element = (await frame.evaluateHandle(expression)).asElement();
  if (!element) throw new Error(`no element: ${expression}`);
  return element as ElementHandle;
}

const drivenFrame = (frame: Frame): Driven => ({
  evaluate: <T>(expression: string) => frame.evaluate(expression) as Promise<T>,
  async click(element) {
    await (await elementOf(frame, element)).click();
  },
  async type(element, text) {
    await (await elementOf(frame, element)).type(text);
  },
});
