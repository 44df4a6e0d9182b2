import Negotiator from 'negotiator';
import { languages, type Language } from './languages.ts';

/** More than a browser sends; what is behind it would not be wanted much. */
const rangesLengthMax = 1_000;

/**
 * The tag in its canonical form (RFC 5646 §4.5); null for what is no language tag.
 */
export function canonicalTag(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

/** What somebody is written to in, by the language tag they or their account gave. */
export const writtenLanguage = (locale: string | null): Language => wantedLanguage([locale]);

/**
 * The first language of the product among those asked for; English if there is none.
 * @param asked language tags or `Accept-Language` headers, the most important first
 */
export function wantedLanguage(asked: readonly (string | null | undefined)[]): Language {
  for (const ranges of asked) {
    const found = ranges ? languageOf(ranges, languages) : null;
    if (found) return found;
  }
  return 'en';
}

/**
 * Which of the languages is wanted most: by a language tag, or by the ranges of an
 * `Accept-Language` header (RFC 9110 §12.5.4). A tag stands for its shorter forms too, as in
 * RFC 4647 §3.4: `de-AT` is answered in `de`. Null where none of them is wanted.
 */
export function languageOf<Name extends string>(
  ranges: string,
  spoken: readonly Name[],
): Name | null {
  const headers = { 'accept-language': ranges.slice(0, rangesLengthMax) };
  const [best] = new Negotiator({ headers }).languages([...spoken]);
  return spoken.find((name) => name === best) ?? null;
}
