import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureAnswers } from '../../../api/http/problem/failure-answers.ts';
import { problemPage } from '../../../api/http/problem/problem-page.ts';
import { directionOf, languages } from '../../../domain/languages/languages.ts';
import { catalogs } from '../../../domain/languages/say.ts';
import { failureCodes } from '../../../workflows/failures.ts';
import { expectAccessible, missing, openBrowser, openPage } from '../../support/browser/browser.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl } = ownPlatform();

/** Opens an address as a browser does; a program gets JSON. */
async function opened(path: string, wanted = '*') {
  const headers = { accept: 'text/html', 'accept-language': wanted };
  const answer = await fetch(`${baseUrl}${path}`, { headers });
  return { status: answer.status, vary: answer.headers.get('vary'), text: await answer.text() };
}

describe('the page of a problem', () => {
  it.each(languages)('says in %s what happened and what to do', async (language) => {
    const { status, vary, text } = await opened('/nothing', `${language}, en;q=0.5`);
    expect([status, vary]).toEqual([404, 'Accept, Accept-Language']);
    expect(text).toContain(`<html lang="${language}" dir="${directionOf(language)}">`);
    expect(text).toContain(`<h1>${catalogs[language]['problem.missing']}</h1>`);
    expect(text).toContain('/docs/errors/not_found');
  });

  it('prefers the language of the address to that of the browser, else uses English', async () => {
    const languageOf = async (...asked: [string, string?]) =>
      /<html lang="(\w+)"/.exec((await opened(...asked)).text)?.[1];
    expect(await languageOf('/v2/no-link', 'xx, pl;q=0.4')).toBe('pl');
    expect(await languageOf('/v2/no-link?locale=he', 'tr')).toBe('he');
    expect(await languageOf('/v2/no-link?locale=zz', 'tr')).toBe('tr');
    expect(await languageOf('/v2/no-link?locale=%22%3E', 'xx')).toBe('en');
    expect(await languageOf('/v2/no-link')).toBe('en');
  });

  it('shows the English detail of a code without translated words', () => {
    const facts = { requestId: 'req_1', detail: 'Its detail.', language: 'de' } as const;
    const explained = failureCodes.filter((code) => {
      const { content } = problemPage({ ...facts, ...failureAnswers[code], code });
      expect(content).toContain(`/docs/errors/${code}`);
      const isEnglish = content.includes('<p lang="en" dir="ltr">');
      expect(content.includes('Its detail.')).toBe(isEnglish);
      expect(content.includes(catalogs.de['problem.refused'])).toBe(isEnglish);
      return !isEnglish;
    });
    expect(explained).toContain('not_found');
    expect(explained).not.toContain('platform_not_configured');
  });
});

describe.skipIf(missing)('the page of a problem in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('is accessible in Arabic and for a refused request', async () => {
    const { page, close } = await openPage(browser);
    await page.goto(`${baseUrl}/v2/no-link?locale=ar`);
    await expectAccessible(page, 'a problem in Arabic', [
      { colorScheme: 'light', direction: 'rtl' },
      { colorScheme: 'dark', direction: 'rtl' },
    ]);
    const facts = { requestId: 'req_1', detail: null, language: 'en' } as const;
    const code = 'platform_not_configured';
    const made = problemPage({ ...facts, ...failureAnswers[code], code });
    await page.setContent(made.content);
    await expectAccessible(page, 'a refused request');
    await close();
  });
});
