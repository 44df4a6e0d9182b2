import ar from './catalogs/ar.json' with { type: 'json' };
import de from './catalogs/de.json' with { type: 'json' };
import en from './catalogs/en.json' with { type: 'json' };
import es from './catalogs/es.json' with { type: 'json' };
import fr from './catalogs/fr.json' with { type: 'json' };
import he from './catalogs/he.json' with { type: 'json' };
import it from './catalogs/it.json' with { type: 'json' };
import ja from './catalogs/ja.json' with { type: 'json' };
import nl from './catalogs/nl.json' with { type: 'json' };
import pl from './catalogs/pl.json' with { type: 'json' };
import pt from './catalogs/pt.json' with { type: 'json' };
import tr from './catalogs/tr.json' with { type: 'json' };
import { createFormatter, type MessageValues } from './format.ts';
import type { Language } from './languages.ts';

export type Phrase = keyof typeof en;

/** Every phrase in every language: ICU messages. */
export const catalogs: Readonly<Record<Language, Readonly<Record<Phrase, string>>>> = {
  ar,
  de,
  en,
  es,
  fr,
  he,
  it,
  ja,
  nl,
  pl,
  pt,
  tr,
};

const formatters = new Map<Language, ReturnType<typeof createFormatter>>();

/**
 * Returns a phrase with its values, in a language.
 * @throws if a value of the phrase is missing
 */
export function say(language: Language, phrase: Phrase, values: MessageValues = {}): string {
  const format = formatters.get(language) ?? createFormatter(language);
  formatters.set(language, format);
  return format(catalogs[language][phrase], values);
}
