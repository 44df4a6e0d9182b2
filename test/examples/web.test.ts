import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Frame } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missing, openBrowser, openPage } from '../support/browser/browser.ts';
import { giveNumber } from '../support/browser/finish.ts';
import { waitForScreen } from '../support/browser/follow.ts';
import { refuseIn } from '../support/browser/host-page.ts';
import { withMouse } from '../support/browser/person.ts';
import { call } from '../support/http/client.ts';
import { newAccount } from '../support/people/accounts.ts';
import { eventually } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';
import { installOutside, root, type Outside } from '../web/packages/outside.ts';

const { baseUrl } = ownPlatform();

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Creates an account with an app that allows this origin to display its checks. */
async function shopAccount(name: string, origin: string) {
  const account = await newAccount(`${name}-${process.pid}`);
  const { account_id, app_id, api_key: token } = account;
  const path = `/v2/accounts/${account_id}/apps/${app_id}`;
  const body = { name: 'Shop', allowed_origins: [origin] };
  const changed = await call('PATCH', path, { token, body });
  expect(changed.status).toBe(200);
  return {
    account,
    env: {
      PATH: process.env['PATH'],
      TRUSTCHECK_URL: baseUrl,
      TRUSTCHECK_KEY: token,
      TRUSTCHECK_APP: app_id,
    },
  };
}

async function startShop(outside: Outside, port: number, env: Record<string, string | undefined>) {
  const server = join(outside.folder, 'express/server.mjs');
  const child = spawn(process.execPath, [server], { env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => (printed += part.toString()));
  }
  await eventually('the shop', async () => printed.includes(`http://localhost:${port}`));
  return { child, printed: () => printed };
}

describe.skipIf(missing)('the web examples', { timeout: 300_000 }, () => {
  let browser: Browser;
  let outside: Outside;
  beforeAll(async () => {
    browser = await openBrowser();
    outside = await installOutside(['web', 'client']);
    await outside.bring(['express', 'react', 'react-dom', 'scheduler']);
    await cp(join(root, 'examples'), outside.folder, { recursive: true });
  }, 300_000);
  afterAll(async () => {
    await browser.close();
    await outside.end();
  });

  it('have an Express server that learns the outcome from its webhook', async () => {
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const { account, env } = await shopAccount('express', origin);
    const endpoints = `/v2/accounts/${account.account_id}/webhook-endpoints`;
    const body = { url: `http://127.0.0.1:${port}/webhooks` };
    const made = await call('POST', endpoints, { token: account.api_key, body });
    const secret = String(made.body['secret']);
    const more = { PORT: String(port), TRUSTCHECK_WEBHOOK_SECRET: secret };
    const shop = await startShop(outside, port, { ...env, ...more });
    const forged = await fetch(`${origin}/webhooks`, { method: 'POST', body: '{}' });
    expect(forged.status).toBe(400);
    const { page, complaints, close } = await openPage(browser);
    await page.goto(origin);
    const display = async (): Promise<Frame> => {
      await page.getByRole('button', { name: 'Confirm who you are' }).click();
      const element = await page.waitForSelector('dialog iframe');
      const frame = await element.contentFrame();
      if (!frame) throw new Error('no frame is displayed');
      return frame;
    };
    const closed = withMouse(await display());
    await waitForScreen(closed.at, 'welcome');
    await closed.press('check.welcome.here');
    await waitForScreen(closed.at, 'consent');
    await closed.press('check.consent.agree');
    await waitForScreen(closed.at, 'phone');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
    // A closed check continues at its step.
    const person = withMouse(await display());
    await giveNumber(person);
    await waitForScreen(person.at, 'passed');
    await person.press('check.redirect.go', { app: 'Shop' });
    await page.getByText('Your check: passed').waitFor();
    expect(complaints).toEqual([]);
    await close();
    shop.child.kill();
    await once(shop.child, 'close');
    expect(shop.printed()).not.toMatch(/error/i);
  });

  it('have a Next.js page that creates its link in a route', async () => {
    const folder = join(outside.folder, 'next');
    await outside.write(
      'next/entry.tsx',
      `import { hydrateRoot } from 'react-dom/client';
       import Page from "./app/page.tsx";
       hydrateRoot(document.getElementById('root') as HTMLElement, <Page />);`,
    );
    await outside.write(
      'next/server.tsx',
      `import { createServer } from 'node:http';
       import { readFileSync } from 'node:fs';
       import { renderToString } from 'react-dom/server';
       import Page from "./app/page.tsx";
       import { POST } from "./app/checks/route.ts";
       const script = readFileSync(new URL('../browser/entry.js', import.meta.url));
       const html = '<!doctype html><html lang="en"><title>Shop</title><div id="root">' +
         renderToString(<Page />) + '</div><script type="module" src="/entry.js"></script></html>';
       createServer(async (request, response) => {
         if (request.method === 'POST') {
           const parts = [];
           for await (const part of request) parts.push(part);
           const body = Buffer.concat(parts);
           const answer = await POST(new Request('http://shop', { method: 'POST', body }));
           return response.writeHead(200, { 'content-type': 'application/json' }).end(await answer.text());
         }
         const isScript = request.url === '/entry.js';
         response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
         response.end(isScript ? script : html);
       }).listen(Number(process.env.PORT), () => console.log('listening'));`,
    );
    const common = { root: folder, configFile: false, logLevel: 'error' } as const;
    const output = { entryFileNames: '[name].js' };
    const browserBuild = { input: { entry: join(folder, 'entry.tsx') }, output };
    await build({
      ...common,
      build: { outDir: 'dist/browser', rolldownOptions: browserBuild },
    });
    await build({
      ...common,
      build: { outDir: 'dist/server', ssr: join(folder, 'server.tsx') },
    });
    const port = await freePort();
    const { env } = await shopAccount('next', `http://localhost:${port}`);
    const child = spawn(process.execPath, [join(folder, 'dist/server/server.js')], {
      env: { ...env, PORT: String(port) },
    });
    let printed = '';
    child.stdout.on('data', (part: Buffer) => (printed += part.toString()));
    await eventually('the page', async () => printed.includes('listening'));
    const { page, complaints, close } = await openPage(browser);
    await page.goto(`http://localhost:${port}`);
    await page.getByRole('button', { name: 'Confirm who you are' }).click();
    const frame = await (await page.waitForSelector('dialog iframe')).contentFrame();
    if (!frame) throw new Error('no frame is displayed');
    await refuseIn(frame, 'Shop');
    await page.getByText('Thank you').waitFor();
    expect(complaints).toEqual([]);
    await close();
    child.kill();
    await once(child, 'close');
  });
});
