import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderAffidavit } from '../../../activities/affidavit/render.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { catalogs } from '../../../domain/languages/say.ts';
import { sealAffidavit } from '../../../domain/pdf/signature/seal.ts';
import { createTimestampAuthority } from '../../../domain/pki/timestamps/sign-token.ts';
import { expectAccessible, missing, openBrowser, openPage } from '../../support/browser/browser.ts';
import { lightContent } from '../../support/fixtures/affidavits/contents.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, dataDir } = ownPlatform();

async function sealed(): Promise<Buffer> {
  const keys = loadKeys(join(dataDir, 'keys'));
  const authority = createTimestampAuthority(keys.tsa, () => new Date(), randomBytes);
  return sealAffidavit(Buffer.from(await renderAffidavit(lightContent)), keys.seal, authority);
}

it('the catalog has a phrase for every name in the script of the verifier page', () => {
  const script = readFileSync(new URL('../../../web/verify/page.js', import.meta.url), 'utf8');
  const named = Array.from(script.matchAll(/\bt\('([\w.]+)'/g), ([, name = '']) => name);
  expect(named.length).toBeGreaterThan(8);
  for (const name of named) expect(catalogs.en).toHaveProperty([`verify.${name}`]);
});

describe.skipIf(missing)('the verifier in another language', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('shows its verdict in Arabic, and terminal lines in English', async () => {
    const watched = await openPage(browser, { locale: 'ar' });
    const { page } = watched;
    const said = catalogs.ar;
    await page.goto(`${baseUrl}/verify`);
    const file = { name: 'affidavit.pdf', mimeType: 'application/pdf', buffer: await sealed() };
    await page.setInputFiles('#pdf', file);
    await page.locator('#answer').waitFor();
    const state = page.locator('#state strong');
    expect(await state.innerText()).toBe(said['verify.state.indeterminate']);
    const check = page.locator('#checks li').first();
    expect(await check.locator('[lang=en]').innerText()).toBe('✓ form');
    expect(await check.innerText()).toContain(said['verify.ask.form']);
    expect(await page.locator('#answer').innerText()).not.toMatch(/\{\w+\}|undefined/);
    await expectAccessible(page, 'the verifier in Arabic', [
      { colorScheme: 'light', direction: 'rtl' },
      { colorScheme: 'dark', direction: 'rtl' },
    ]);
    await page.fill('#root', 'no root');
    await page.click('#go');
    await page.locator('#state [lang=en]', { hasText: 'no certificate in PEM or DER' }).waitFor();
    expect(await state.innerText()).toBe(said['verify.state.stuck']);
    expect(watched.complaints).toEqual([]);
    await watched.close();
  });
});
