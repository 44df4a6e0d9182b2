import { beforeAll, describe, expect, it } from 'vitest';
import type { Language } from '../../../domain/languages/languages.ts';
import { buildPages } from '../../../web/build.ts';
import { specimenHtml } from '../../support/browser/specimens.ts';

/** Returns the first time of the history; all specimens have the same one. */
async function timeIn(language: Language) {
  const html = await specimenHtml('elsewhere', language);
  const [, at = '', shown] = /<time datetime="([^"]+)">([^<]+)</i.exec(html) ?? [];
  const expected = new Date(at).toLocaleTimeString(language, { timeStyle: 'medium' });
  return { shown, expected };
}

describe('the times in the history of a check', () => {
  beforeAll(() => buildPages());

  it.each(['en', 'de', 'ar', 'ja'] as const)(
    'are formatted in the language of the page: %s',
    async (is) => {
      const { shown, expected } = await timeIn(is);
      expect(shown).toBe(expected);
    },
  );

  it('do not use the language of the process', async () => {
    expect((await timeIn('de')).shown).not.toBe((await timeIn('en')).shown);
  });
});
