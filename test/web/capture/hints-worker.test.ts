import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HintReply } from '../../../web/capture/hints.ts';
import { missing, openBrowser, openPage } from '../../support/browser/browser.ts';
import { filmed } from '../../support/fixtures/documents/frames.ts';

const origin = 'http://capture.example';

async function workerScript(): Promise<string> {
  const entry = fileURLToPath(new URL('../../../web/capture/hints-worker.ts', import.meta.url));
  const made = await build({ entryPoints: [entry], bundle: true, format: 'esm', write: false });
  return made.outputFiles[0]?.text ?? '';
}

/** Draws a frame on a canvas and sends it to the worker ten times, in both accepted forms. */
const pageScript = `async ({ pixels, width, height, guide }) => {
  const worker = new Worker('/hints-worker.js', { type: 'module' });
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const bytes = Uint8ClampedArray.from(atob(pixels), (each) => each.charCodeAt(0));
  context.putImageData(new ImageData(bytes, width, height), 0, 0);
  const replies = [];
  for (let time = 0; time < 10; time += 1) {
    const image = context.getImageData(0, 0, width, height);
    const reply = new Promise((resolve) => {
      worker.addEventListener('message', ({ data }) => resolve(data), { once: true });
    });
    if (time % 2 === 0) worker.postMessage({ frame: image, guide });
    else {
      const frame = { data: image.data, width, height };
      worker.postMessage({ frame, guide }, [image.data.buffer]);
    }
    replies.push(await reply);
  }
  worker.terminate();
  return replies;
}`;

describe.skipIf(missing)('the hints worker in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  it.each([
    ['a good film', 0, null, [8]],
    ['a reflection', 3, 'glare', []],
  ] as const)('answers each frame of %s', async (_name, number, hint, readyAt) => {
    const watched = await openPage(browser);
    const script = await workerScript();
    await watched.context.route(`${origin}/**`, (route) =>
      route.request().url().endsWith('.js')
        ? route.fulfill({ contentType: 'text/javascript', body: script })
        : route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>-</title>' }),
    );
    await watched.page.goto(origin);
    const { frames, guide } = await filmed(number);
    const { data, width, height } = frames[1];
    const pixels = Buffer.from(data).toString('base64');
    const film = JSON.stringify({ pixels, width, height, guide });
    const replies = await watched.page.evaluate<HintReply[]>(`(${pageScript})(${film})`);
    expect(replies.map((reply) => reply.hint)).toEqual(Array.from({ length: 10 }, () => hint));
    const ready = replies.flatMap(({ isReady }, at) => (isReady ? [at + 1] : []));
    expect(ready).toEqual(readyAt);
    expect(watched.complaints).toEqual([]);
    await watched.close();
  });
});
