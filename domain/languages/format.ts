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

/** A message as text, or as returned by `parseMessage`. */
export type Message = string | ReturnType<IntlMessageFormat['getAst']>;

/** Parses an ICU message that has arguments, for a formatter without a parser. */
export const parseMessage = (message: string, language: Language): Message =>
  message.includes('{') ? messageOf(message, language).getAst() : message;

const messageOf = (message: Message, language: Language): IntlMessageFormat =>
  new IntlMessageFormat(message, language, formats, { ignoreTag: true });

/**
 * Returns a function that formats ICU messages of one language. Each message is parsed once. Text
 * values may be untrusted: they are put on one line, and isolated (`isolates`) if their writing
 * direction could reorder the sentence.
 * @throws if a value of the message is missing
 */
export function createFormatter(
  language: Language,
): (message: Message, values?: MessageValues) => string {
  const made = new Map<Message, IntlMessageFormat>();
  return (message, values = {}) => {
    // No message uses quotes (test/unit/languages/catalogs), so one without a brace is plain text.
    if (typeof message === 'string' && !message.includes('{')) return message;
    const format = made.get(message) ?? messageOf(message, language);
    made.set(message, format);
    const shown = Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? setApart(plainLine(value), language) : value,
    ]);
    return String(format.format(Object.fromEntries(shown)));
  };
}

/** First strong isolate and its end (UAX #9 §2.4). `plainLine` removes them from values. */
export const isolates = { start: '\u2068', end: '\u2069' } as const;

const writtenFromRight =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Nko}\p{Script=Syriac}\p{Script=Thaana}]/u;

function setApart(text: string, language: Language): string {
  const isSame = directionOf(language) === 'ltr' && !writtenFromRight.test(text);
  return isSame ? text : `${isolates.start}${text}${isolates.end}`;
}

/**
 * Returns one line of plain text without control characters and direction marks. Joiners stay,
 * since letters of some scripts need them.
 */
export function plainLine(text: string): string {
  return text.replaceAll(/(?:(?![\u200c\u200d])[\p{C}\s])+/gu, ' ').trim();
}

/**
 * Returns the text without direction marks (Unicode property Bidi_Control), for places that cannot
 * isolate it, such as `<title>`: an open mark would reorder the text after it.
 */
export const withoutDirectionMarks = (text: string): string =>
  text.replaceAll(/\p{Bidi_Control}/gu, '');
