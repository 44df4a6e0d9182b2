import Negotiator from 'negotiator';
import { languages, type Language } from './languages.ts';

/** Longer than browsers send; ranges beyond it have low priority. */
const rangesLengthMax = 1_000;

/** Returns the tag in its canonical form (RFC 5646 §4.5); null if it is not a language tag. */
export function canonicalTag(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

/** Returns the language for messages to a person, by the tag that they or their account set. */
export const writtenLanguage = (locale: string | null): Language => wantedLanguage([locale]);

/**
 * Returns the first requested language that the product has; English if there is none.
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
 * Returns the most wanted of the given languages, by a language tag or by the ranges of an
 * `Accept-Language` header (RFC 9110 §12.5.4). A tag also matches its shorter forms, as in RFC 4647
 * §3.4: `de-AT` gets `de`. Null if none is wanted.
 */
export function languageOf<Name extends string>(
  ranges: string,
  spoken: readonly Name[],
): Name | null {
  const headers = { 'accept-language': ranges.slice(0, rangesLengthMax) };
  const [best] = new Negotiator({ headers }).languages([...spoken]);
  return spoken.find((name) => name === best) ?? null;
}
