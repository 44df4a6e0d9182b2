import { readFileSync } from 'node:fs';
import { encode } from 'html-entities';
import Mustache from 'mustache';
import { isolates, plainLine } from '../../../domain/languages/format.ts';
import { say } from '../../../domain/languages/say.ts';
import { directionOf, type Language } from '../../../domain/languages/languages.ts';

/** Texts of a letter in the reader's language. Each text is one line. */
export interface LetterWords {
  readonly language: Language;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** Text written by another person; `by` introduces it. */
  readonly note?: { readonly by: string; readonly text: string };
  readonly action: string;
  readonly url: string;
  /** Additional notes in small print. */
  readonly small: readonly string[];
  /** Name of the sender. */
  readonly sender: string;
}

export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Generated from `letter.mjml` by `npm run letters`. */
const template = readFileSync(new URL('letter.html', import.meta.url), 'utf8');
Mustache.parse(template);

/**
 * Composes a letter: subject, plain text, and HTML with the same content. All texts are escaped,
 * and the HTML loads nothing from elsewhere.
 */
export function compose(words: LetterWords): Letter {
  const { language, subject, paragraphs, action, url, small } = words;
  const sender = plainLine(words.sender);
  const note = words.note && { by: words.note.by, text: plainLine(words.note.text) };
  const direction = directionOf(language);
  const view = {
    language,
    direction,
    start: direction === 'rtl' ? 'right' : 'left',
    title: subject.replaceAll(/[\u2068\u2069]/g, ''),
    headline: subject,
    paragraphs,
    note: note ? [note] : [],
    action,
    url,
    copy: say(language, 'letter.copy'),
    small,
    sender,
  };
  const noted = note ? [note.by, note.text] : [];
  return {
    subject,
    text: [subject, ...paragraphs, ...noted, action, url, ...small, sender].join('\n\n'),
    html: Mustache.render(template, view, undefined, { escape }),
  };
}

/**
 * Escapes a text for HTML. Turns Unicode isolates into `<bdi>`, since mail programs may show the
 * characters as boxes.
 */
function escape(text: unknown): string {
  return encode(String(text))
    .replaceAll(isolates.start, '<bdi>')
    .replaceAll(isolates.end, '</bdi>');
}
