import { IntlMessageFormat } from 'intl-messageformat';
import ar from './ar.json' with { type: 'json' };
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import he from './he.json' with { type: 'json' };
import it from './it.json' with { type: 'json' };
import ja from './ja.json' with { type: 'json' };
import nl from './nl.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };
import pt from './pt.json' with { type: 'json' };
import { directionOf, type Language } from './spoken.ts';
import tr from './tr.json' with { type: 'json' };

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

/** Nobody knows in which zone a reader is: the zone is written out. */
const formats = {
  date: {
    instant: {
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZone: 'UTC',
      timeZoneName: 'short',
    },
  },
} as const;

const parsed = new Map<string, IntlMessageFormat>();

/**
 * A phrase with its values. A text among them may be anybody's: it comes out as one line, and set
 * apart (`isolates`) where its writing direction could turn the sentence around. Throws where a
 * value of the phrase is missing.
 */
export function say(
  language: Language,
  phrase: Phrase,
  values: Readonly<Record<string, string | number | Date>> = {},
): string {
  const shown = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? setApart(plainLine(value), language) : value,
  ]);
  return String(messageOf(language, phrase).format(Object.fromEntries(shown)));
}

/** A phrase is parsed when it is first said. */
function messageOf(language: Language, phrase: Phrase): IntlMessageFormat {
  const name = `${language} ${phrase}`;
  const known = parsed.get(name);
  if (known) return known;
  const made = new IntlMessageFormat(catalogs[language][phrase], language, formats, {
    ignoreTag: true,
  });
  parsed.set(name, made);
  return made;
}

/** First strong isolate and its end (UAX #9 §2.4): no name can hold one, `plainLine` sees to it. */
export const isolates = { start: '\u2068', end: '\u2069' } as const;

const writtenFromRight =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Nko}\p{Script=Syriac}\p{Script=Thaana}]/u;

function setApart(text: string, language: Language): string {
  const isSame = directionOf(language) === 'ltr' && !writtenFromRight.test(text);
  return isSame ? text : `${isolates.start}${text}${isolates.end}`;
}

/**
 * One line of plain text, whatever was put into the field: without controls, marks of direction
 * among them. The joiners stay that letters of some scripts need.
 */
export function plainLine(text: string): string {
  return text.replaceAll(/(?:(?![\u200c\u200d])[\p{C}\s])+/gu, ' ').trim();
}
