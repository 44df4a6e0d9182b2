import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import { catalogs } from '../../../domain/languages/say.ts';
import { languages } from '../../../domain/languages/languages.ts';

/** The parts of a message (ICU MessageFormat), which contain its arguments. */
interface Part {
  readonly type: number;
  readonly value?: string;
  readonly style?: unknown;
  readonly options?: Readonly<Record<string, { readonly value: readonly Part[] }>>;
}

const kinds = ['literal', 'text', 'number', 'date', 'time', 'select', 'plural', 'pound', 'tag'];

const partsOf = (message: string, language: string): readonly Part[] =>
  new IntlMessageFormat(message, language, undefined, { ignoreTag: true }).getAst();

/** The distinct arguments of a message, with kind and style. */
function argumentsOf(parts: readonly Part[]): string[] {
  const found = parts.flatMap((part): string[] => {
    const kind = kinds[part.type] ?? '';
    const inner = Object.values(part.options ?? {}).flatMap(({ value }) => argumentsOf(value));
    const style = typeof part.style === 'string' ? ` ${part.style}` : '';
    return kind === 'literal' || kind === 'pound'
      ? []
      : [`${part.value ?? ''} ${kind}${style}`, ...inner];
  });
  return [...new Set(found)].toSorted();
}

const pluralsOf = (parts: readonly Part[]): Part[] =>
  parts.flatMap((part) => [
    ...(kinds[part.type] === 'plural' ? [part] : []),
    ...Object.values(part.options ?? {}).flatMap(({ value }) => pluralsOf(value)),
  ]);

describe.each(languages)('the catalog of %s', (language) => {
  const phrases = Object.entries(catalogs[language]);

  it('has the phrases of English, in the same order and with the same arguments', () => {
    const said = (entries: readonly [string, string][], by: string): unknown =>
      entries.map(([name, message]) => [name, argumentsOf(partsOf(message, by))]);
    expect(said(phrases, language)).toEqual(said(Object.entries(catalogs.en), 'en'));
  });

  it('has exactly the plural forms of the language', () => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
    const plurals = phrases.flatMap(([, message]) => pluralsOf(partsOf(message, language)));
    expect(plurals.length).toBeGreaterThan(0);
    for (const { options } of plurals) {
      expect(Object.keys(options ?? {}).toSorted()).toEqual(forms);
    }
  });

  it('is translated, and contains plain text only', () => {
    expect(Intl.DateTimeFormat.supportedLocalesOf(language)).toEqual([language]);
    for (const [name, message] of phrases) {
      expect(message, name).toMatch(/^[^<>\n\r\u2066-\u2069\u202a-\u202e]+$/u);
      expect(message.trim(), name).toBe(message);
      // An apostrophe would quote a following brace (ICU MessageFormat).
      expect(message, name).not.toContain("'");
      if (language !== 'en') {
        expect(message, name).not.toBe(
          Object.entries(catalogs.en).find(([key]) => key === name)?.[1],
        );
      }
    }
  });
});
