import { describe, expect, it } from 'vitest';
import { plainLine } from '../../../domain/languages/format.ts';
import { say } from '../../../domain/languages/say.ts';
import { directionOf, languages } from '../../../domain/languages/languages.ts';
import { canonicalTag, languageOf, writtenLanguage } from '../../../domain/languages/spoken.ts';

describe('say', () => {
  it.each([
    ['en', 1, 'for 1 minute.'],
    ['en', 10, 'for 10 minutes.'],
    ['pl', 1, 'przez 1 minutę.'],
    ['pl', 2, 'przez 2 minuty.'],
    ['pl', 5, 'przez 5 minut.'],
    ['pl', 22, 'przez 22 minuty.'],
    ['ar', 1, 'لمدة دقيقة واحدة.'],
    ['ar', 2, 'لمدة دقيقتين.'],
    ['ar', 3, 'لمدة 3 دقائق.'],
    ['ar', 11, 'لمدة 11 دقيقة.'],
    ['ar', 100, 'لمدة 100 دقيقة.'],
    ['he', 2, 'במשך שתי דקות.'],
    ['fr', 0, 'pendant 0 minute.'],
    ['ja', 1, '1分間有効'],
  ] as const)('counts in %s: %i', (language, minutes, words) => {
    expect(say(language, 'token.once', { minutes })).toContain(words);
  });

  it('formats dates in the language, with the time zone', () => {
    const until = new Date('2026-12-01T22:05:00Z');
    expect(say('en', 'invitation.until', { until })).toBe(
      'It works until December 1, 2026 at 10:05 PM UTC.',
    );
    expect(say('de', 'invitation.until', { until })).toBe(
      'Er funktioniert bis 1. Dezember 2026 um 22:05 UTC.',
    );
  });

  it('isolates a name of the other writing direction', () => {
    const ask = (language: 'en' | 'ar' | 'he', name: string): string =>
      say(language, 'invitation.note', { requester: name });
    expect(ask('en', 'Example')).toBe('Example writes:');
    expect(ask('en', 'ليلى')).toBe('\u2068ليلى\u2069 writes:');
    expect(ask('ar', 'Example (Ltd)')).toBe('رسالة من \u2068Example (Ltd)\u2069:');
    expect(ask('he', 'Example')).toBe('הודעה מאת \u2068Example\u2069:');
  });

  it('inserts a value literally, whatever it contains', () => {
    for (const name of ['{requester}', "{n, plural, other {'#'}}", '<b>#</b>', '{{url}}', '$&']) {
      expect(say('en', 'invitation.note', { requester: name })).toBe(`${name} writes:`);
    }
    expect(() => say('en', 'invitation.note')).toThrow('requester');
  });

  it.each([
    ['A\r\nBcc: x@example.test', 'A Bcc: x@example.test'],
    ['a\u2028b\u0085c\u0000d', 'a b c d'],
    ['left\u202egnp.exe\u202c', 'left gnp.exe'],
    ['\u2068a\u2069\u2067b', 'a b'],
    [' \u200b\ufeff ', ''],
    ['lone \ud800 half', 'lone half'],
    ['نامه\u200cای 👩\u200d🚀', 'نامه\u200cای 👩\u200d🚀'],
  ])('inserts plain lines only: plainLine (%#)', (value, line) => {
    expect(plainLine(value)).toBe(line);
  });
});

describe('the language of a message', () => {
  it.each([
    ['de-AT', 'de'],
    ['DE', 'de'],
    ['de-Latn-CH-1996', 'de'],
    ['pt-BR', 'pt'],
    ['ar-EG', 'ar'],
    ['he-IL', 'he'],
    ['sw', 'en'],
    ['den', 'en'],
    ['', 'en'],
    ['toString', 'en'],
    [null, 'en'],
  ])('for the tag %j is %s (RFC 4647 §3.4)', (tag, language) => {
    expect(writtenLanguage(tag)).toBe(language);
  });

  it.each([
    ['de-CH, fr;q=0.9, en;q=0.8', 'de'],
    ['sw, fr-CH;q=0.9, de;q=0.95', 'de'],
    ['sw, xx;q=0.9', null],
    ['en;q=0, *;q=0.1', 'ar'],
    ['de;q=0', null],
    ['*', 'en'],
    ['', null],
    [';;;,,,q=', null],
    [`${'x'.repeat(2_000)}, de`, null],
    [`${'xx, '.repeat(200)}de`, 'de'],
  ])('is found in the ranges of Accept-Language (%#)', (ranges, language) => {
    expect(languageOf(ranges, languages)).toBe(language);
  });

  it.each([
    ['de-at', 'de-AT'],
    ['iw', 'he'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['en-aa-bb', null],
    ['de_AT', null],
    ['', null],
  ])('has for the tag %j the canonical form %j', (tag, canonical) => {
    expect(canonicalTag(tag)).toBe(canonical);
  });

  it('is written from right to left for two languages', () => {
    expect(languages.filter((language) => directionOf(language) === 'rtl')).toEqual(['ar', 'he']);
  });
});
