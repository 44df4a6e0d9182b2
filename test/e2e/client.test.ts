import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { expect, it } from 'vitest';
import { expectQuiet, missing, openBrowser, openPage } from '../support/browser/browser.ts';
import { newLink } from '../support/http/client.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();
const folder = new URL('../../client/', import.meta.url);

it.skipIf(missing)('the client works in a browser without a build step', async () => {
  const reference_id = `browser-${process.pid}`;
  for (let count = 0; count < 3; count += 1) await newLink({ reference_id });
  const browser = await openBrowser();
  const watched = await openPage(browser);
  const { page } = watched;
  await page.route(`${baseUrl}/a-page`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>A page</title>' }),
  );
  // No build step: a browser can load the files once their types are blanked out.
  await page.route(`${baseUrl}/client/*.ts`, (route) => {
    const name = route.request().url().split('/').at(-1) ?? '';
    const body = stripTypeScriptTypes(readFileSync(new URL(name, folder), 'utf8'));
    return route.fulfill({ contentType: 'text/javascript', body });
  });
  await page.goto(`${baseUrl}/a-page`);
  const given = { baseUrl, own, reference_id };
  const seen = await page.evaluate<Record<string, unknown>>(`(async () => {
    const { createClient, verifyWebhook } = await import('/client/index.ts');
    const { baseUrl, own: { account_id, app_id, api_key: token }, reference_id } =
      ${JSON.stringify(given)};
    const client = createClient({ baseUrl, token });
    const links = [];
    const query = { account_id, app_id, search: reference_id, page_size: 2 };
    for await (const link of client.links.list.each(query)) links.push(link.reference_id);
    const body = { title: 'Of a browser', required_proofs: ['phone'] };
    const made = await client.links.create({ app_id, body });
    const pem = await (await client.keys.trustBundle()).text();
    const stop = AbortSignal.abort(new Error('enough'));
    const stopped = await client.accounts.list({}, { signal: stop }).catch((e) => e.message);
    const forged = { secret: 'whsec_AAAA', headers: new Headers(), body: '' };
    const refused = await verifyWebhook(forged).catch(({ code }) => code);
    return { links, title: made.title, pem: pem.slice(0, 10), stopped, refused };
  })()`);
  expect(seen).toEqual({
    links: [reference_id, reference_id, reference_id],
    title: 'Of a browser',
    pem: '-----BEGIN',
    stopped: 'enough',
    refused: 'headers_missing',
  });
  expectQuiet(watched, baseUrl);
  await watched.close();
  await browser.close();
});
