import { readFileSync } from 'node:fs';
import { encode } from 'html-entities';
import Mustache from 'mustache';
import { isolates, plainLine } from '../../../domain/languages/format.ts';
import { say } from '../../../domain/languages/say.ts';
import { directionOf, type Language } from '../../../domain/languages/languages.ts';

/** What a letter says, in the language of its reader; each text is one line. */
export interface LetterWords {
  readonly language: Language;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** Words of somebody else, whoever that is. */
  readonly note?: { readonly by: string; readonly text: string };
  readonly action: string;
  readonly url: string;
  /** What is good to know besides. */
  readonly small: readonly string[];
  /** In whose name the letter comes. */
  readonly sender: string;
}

export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Made of `letter.mjml` by `npm run letters`. */
const template = readFileSync(new URL('letter.html', import.meta.url), 'utf8');
Mustache.parse(template);

/**
 * A letter: its subject, a plain part and an HTML part that say the same. All of it is escaped, and
 * nothing in it is loaded from anywhere.
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

/** What is set apart in plain text is an element here: no mail program shows that as a box. */
function escape(text: unknown): string {
  return encode(String(text))
    .replaceAll(isolates.start, '<bdi>')
    .replaceAll(isolates.end, '</bdi>');
}
