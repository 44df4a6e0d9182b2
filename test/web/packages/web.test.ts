import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missing, openBrowser, openPage } from '../../support/browser/browser.ts';
import { linkFor, refuseIn } from '../../support/browser/host-page.ts';
import { compile, expectRefused, installOutside, nodesHere, run, type Outside } from './outside.ts';

const app = `
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { TrustCheck, useTrustCheck, type Result } from '@trustcheck/web/react';

const url = new URLSearchParams(location.search).get('link') ?? '';

function App() {
  const [result, setResult] = useState<Result | null>(null);
  const { open } = useTrustCheck();
  const isInline = location.pathname === '/inline';
  return (
    <main>
      <h1>Shop</h1>
      {isInline && <div id="place"><TrustCheck url={url} locale="en" onResult={setResult} /></div>}
      <button onClick={() => void open({ url }).then(setResult)}>Begin</button>
      <output>{result?.status === 'finished' ? result.outcome : result?.status}</output>
    </main>
  );
}
createRoot(document.getElementById('root') as HTMLElement).render(<StrictMode><App /></StrictMode>);
`;
const index = `<!doctype html><html lang="en"><title>Shop</title><body><div id="root"></div>
<script type="module" src="/app.tsx"></script></body></html>`;

/** Serves a built folder, and its page for every other address. */
async function serve(folder: string) {
  const files = new Map<string, Buffer>();
  for (const name of await readdir(folder, { recursive: true })) {
    if (/\.\w+$/.test(name)) files.set(`/${name}`, await readFile(join(folder, name)));
  }
  const server = createServer(({ url = '' }, response) => {
    const [path = ''] = url.split('?');
    const file = files.get(path);
    const type = file && path.endsWith('.js') ? 'text/javascript' : 'text/html';
    response.writeHead(200, { 'content-type': type }).end(file ?? files.get('/index.html'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `http://localhost:${(server.address() as AddressInfo).port}` };
}

/** Reads an outcome of an unfinished result, and uses an unknown option. */
const misuse = `
import { open } from '@trustcheck/web';
const result = await open({ url: 'x', onEvent: (event) => { if (event.type === 'finished') event.outcome; } });
if (result.status === 'error') result.error.code satisfies string;
result.outcome; // refused
await open({ url: 'x', uri: 'x' }); // refused
`;

describe('the package @trustcheck/web', { timeout: 300_000 }, () => {
  let outside: Outside;
  beforeAll(async () => {
    outside = await installOutside(['web']);
    await outside.bring(['react', 'react-dom', '@types/react', '@types/react-dom', 'scheduler']);
  }, 300_000);
  afterAll(() => outside.end());

  it('loads without a document, as on a server that renders pages', async () => {
    const program = `
      const { open } = await import('@trustcheck/web');
      const { TrustCheck } = await import('@trustcheck/web/react');
      const { createElement } = await import('react');
      const { renderToString } = await import('react-dom/server');
      const { status, error } = await open({ url: 'nonsense' });
      const html = renderToString(createElement(TrustCheck, { url: 'https://a.example/v2/b/c' }));
      console.log(JSON.stringify([status, error.code, html]));`;
    for (const node of await nodesHere()) {
      const printed = await run(node, ['--input-type=module', '-e', program], outside.folder);
      const html = '<div style="block-size:100%"></div>';
      expect(JSON.parse(printed), node).toEqual(['error', 'invalid_url', html]);
    }
  });

  it.each(['nodenext', 'bundler'] as const)('exports types for %s', async (resolution) => {
    await outside.write('app.tsx', app);
    await compile(outside, 'app.tsx', resolution);
    await expectRefused(outside, 'misuse.ts', misuse, resolution);
  });

  describe.skipIf(missing)('in an app of Vite and React', () => {
    let browser: Browser;
    let served: Awaited<ReturnType<typeof serve>>;
    beforeAll(async () => {
      await outside.write('app.tsx', app);
      await outside.write('index.html', index);
      await build({ root: outside.folder, logLevel: 'warn', configFile: false });
      served = await serve(join(outside.folder, 'dist'));
      browser = await openBrowser();
    }, 300_000);
    afterAll(async () => {
      await browser.close();
      served.server.closeAllConnections();
      served.server.close();
    });

    it.each([['/inline'], ['/dialog']])('displays a check at %s', async (path) => {
      const { page, complaints, close } = await openPage(browser);
      const link = await linkFor([served.origin]);
      await page.goto(`${served.origin}${path}?link=${encodeURIComponent(link)}`);
      if (path === '/dialog') await page.getByRole('button', { name: 'Begin' }).click();
      const shown = page.locator('iframe');
      await shown.waitFor();
      await page.frameLocator('iframe').locator('[data-screen="welcome"]').waitFor();
      const frame = await (await shown.elementHandle())?.contentFrame();
      if (!frame) throw new Error('no frame is displayed');
      await refuseIn(frame, 'Example shop');
      await page.getByText('declined').waitFor();
      expect(await page.locator('iframe').count()).toBe(0);
      expect(complaints).toEqual([]);
      await close();
    });
  });
});
