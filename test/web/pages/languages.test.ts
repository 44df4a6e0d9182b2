import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calendarPage } from '../../../api/calendar/ended-page.ts';
import type { Page } from '../../../api/http/html/page.ts';
import { affidavitPage } from '../../../api/verify/pages/affidavit.ts';
import { directionOf, languages } from '../../../domain/languages/languages.ts';
import { catalogs, type Phrase } from '../../../domain/languages/say.ts';
import {
  expectAccessible,
  expectQuiet,
  missing,
  openBrowser,
  openPage,
  type Look,
} from '../../support/browser/browser.ts';
import { call, newLink } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();

/** Pages that open by their address alone, each with its heading. */
const pages: readonly (readonly [path: string, heading: Phrase])[] = [
  [`/success/by-app/${own.app_id}`, 'success.title'],
  ['/email/verify', 'email.title'],
  ['/verify', 'verify.title'],
];

/** Pages that take many steps to reach, built directly. */
const made: readonly (readonly [what: string, page: Page])[] = [
  ['a refused calendar', calendarPage({ status: 'denied', reason: 'provider_unavailable' }, 'ar')],
  [
    'an affidavit',
    affidavitPage(
      {
        affidavit_id: `aff_${'0'.repeat(26)}`,
        sha256: 'ab'.repeat(32),
        sealed_at: '2026-11-25T10:00:00.000Z',
        pades_level: 'PAdES-B-LTA',
        outcome_validity: 'valid',
        livemode: false,
        log_origin: 'trust.test/log',
        log_key: `trust.test/log+01234567+${'A'.repeat(44)}`,
        development: true,
      },
      'https://trust.test',
      'ar',
    ),
  ],
];

const inArabic: readonly Look[] = [
  { colorScheme: 'light', direction: 'rtl' },
  { colorScheme: 'dark', direction: 'rtl' },
];

async function opened(path: string, wanted = '*') {
  const headers = { accept: 'text/html', 'accept-language': wanted };
  const { status, headers: answered, text } = await call('GET', path, { headers });
  expect([status, answered.get('vary')]).toEqual([
    200,
    expect.stringMatching(/\bAccept-Language\b/),
  ]);
  return text;
}

const languageOf = async (path: string, wanted?: string) =>
  /<html lang="(\w+)"/.exec(await opened(path, wanted))?.[1];

describe.each(pages)('the page %s', (path, heading) => {
  it.each(languages)('is in %s, with its text direction', async (language) => {
    const text = await opened(path, `${language}, en;q=0.5`);
    const [head = ''] = text.split('<meta');
    expect(head).toContain(`<html lang="${language}" dir="${directionOf(language)}">`);
    const [shown] = /<h1>[^<]*<\/h1>/.exec(text) ?? [];
    expect(shown).toBe(`<h1>${catalogs[language][heading]}</h1>`);
  });

  it('is in English when the browser requests no supported language', async () => {
    for (const unknown of ['*', 'zz', '-', '">', 'xx, en;q=0.1']) {
      expect(await languageOf(path, unknown), unknown).toBe('en');
    }
    expect(await languageOf(path, 'xx, pl;q=0.4, tr;q=0.9')).toBe('tr');
  });
});

describe('the success page of a link', () => {
  it('prefers the language of the link to that of the browser', async () => {
    expect(await languageOf(`/success/${await newLink({ locale: 'de' })}`, 'tr')).toBe('de');
    expect(await languageOf(`/success/${await newLink()}`, 'tr')).toBe('tr');
    const card = await call('GET', `/success/${await newLink({ locale: 'fr' })}?format_type=S`);
    expect(card.text).toContain(`<title>${catalogs.fr['success.title']} · `);
  });
});

describe('the page of a mailed link', () => {
  it('prefers the language of the address to that of the browser', async () => {
    expect(await languageOf('/email/verify?locale=de', 'tr')).toBe('de');
    for (const unknown of ['zz', '-', '', '%22%3E']) {
      expect(await languageOf(`/email/verify?locale=${unknown}`, 'tr')).toBe('tr');
    }
  });
});

describe.skipIf(missing)('pages in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it.each(made)('the page of %s is accessible in Arabic', async (what, { content }) => {
    const { page, close } = await openPage(browser);
    await page.setContent(content);
    await expectAccessible(page, `${what} in Arabic`, inArabic);
    await close();
  });

  it.each(pages)('the page %s is accessible in Arabic', async (path, heading) => {
    const watched = await openPage(browser, { locale: 'ar' });
    await watched.page.goto(`${baseUrl}${path}`);
    expect(await watched.page.innerText('h1')).toBe(catalogs.ar[heading]);
    await expectAccessible(watched.page, `${path} in Arabic`, inArabic);
    expectQuiet(watched, baseUrl);
    await watched.close();
  });
});
