import { IntlMessageFormat } from 'intl-messageformat';
import { directionOf, type Language } from './languages.ts';

/** The zone of the reader is unknown, so each instant names its zone. */
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

/** Values of a message, by the name of their argument. */
export type MessageValues = Readonly<Record<string, string | number | Date>>;

/**
 * Returns a function that formats ICU messages of one language. Each message is parsed once. Text
 * among the values may come from a stranger: it is put on one line, and isolated (`isolates`) where
 * its writing direction could reorder the sentence.
 * @throws where a value of the message is missing
 */
export function createFormatter(
  language: Language,
): (message: string, values?: MessageValues) => string {
  const parsed = new Map<string, IntlMessageFormat>();
  const parse = (message: string): IntlMessageFormat => {
    const made = new IntlMessageFormat(message, language, formats, { ignoreTag: true });
    parsed.set(message, made);
    return made;
  };
  return (message, values = {}) => {
    const shown = Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? setApart(plainLine(value), language) : value,
    ]);
    return String((parsed.get(message) ?? parse(message)).format(Object.fromEntries(shown)));
  };
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
