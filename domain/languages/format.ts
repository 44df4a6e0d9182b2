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

/** A message as it is written, or as `parseMessage` returns it. */
export type Message = string | ReturnType<IntlMessageFormat['getAst']>;

/** Parses an ICU message that has arguments, for a formatter without a parser. */
export const parseMessage = (message: string, language: Language): Message =>
  message.includes('{') ? messageOf(message, language).getAst() : message;

const messageOf = (message: Message, language: Language): IntlMessageFormat =>
  new IntlMessageFormat(message, language, formats, { ignoreTag: true });

/**
 * Returns a function that formats ICU messages of one language. Each message is parsed once. Text
 * among the values may come from a stranger: it is put on one line, and isolated (`isolates`) where
 * its writing direction could reorder the sentence.
 * @throws where a value of the message is missing
 */
export function createFormatter(
  language: Language,
): (message: Message, values?: MessageValues) => string {
  const made = new Map<Message, IntlMessageFormat>();
  return (message, values = {}) => {
    // No message quotes (test/unit/languages/catalogs): without a brace it is its own text.
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

/**
 * The text without marks of direction (Unicode property Bidi_Control), for places that cannot
 * isolate it, such as `<title>`: a mark left open would reorder what stands behind.
 */
export const withoutDirectionMarks = (text: string): string =>
  text.replaceAll(/\p{Bidi_Control}/gu, '');
