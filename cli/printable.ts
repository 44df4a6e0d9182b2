import { codePoint } from '../activities/affidavit/legible.ts';

/** What a terminal obeys or a reader does not see: control, format, direction, filling. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const unseenButLineFeed = new RegExp(`(?!\n)${unseen.source}`, 'gu');
const lengthMax = 1000;

/**
 * Text of strangers as one line fit for a terminal: what is unseen stands as its code point,
 * `[U+202E]`, and what is longer than 1,000 characters is cut.
 */
export function printable(text: string): string {
  const cut = text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
  return cut.replaceAll(unseen, codePoint);
}

/** A value as indented JSON that says the same and has nothing unseen: those are `\u` escapes. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(unseenButLineFeed, (char) =>
    char.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
