import { codePoint } from '../../domain/pdf/layout/text-sanitizer.ts';

/** What a terminal obeys or a reader does not see: control, format, direction, filling. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const unseenButLineFeed = new RegExp(`(?!\n)${unseen.source}`, 'gu');
/** The parts of an emoji that have no form of their own (UTS 51 §1.4.9). */
const emojiParts = new RegExp(
  [
    String.raw`(?<=[\p{ExtPict}\p{EMod}\ufe0f])\u200d(?=\p{ExtPict})`,
    String.raw`(?<=\u{1f3f4})[\u{e0061}-\u{e007a}]{1,6}\u{e007f}`,
  ].join('|'),
  'gu',
);
/** A variation selector (Unicode §23.4) after a character that is shown. */
const selector =
  /(?<=[^\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;
const lengthMax = 1000;

/**
 * Formats untrusted text as one line for a terminal. Invisible and control characters become their
 * code point, `[U+202E]`; the invisible parts of an emoji and a variation selector are left out.
 * Cuts the text after 1,000 characters.
 */
export function printable(text: string): string {
  const cut = text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
  return cut.replaceAll(emojiParts, '').replaceAll(selector, '').replaceAll(unseen, codePoint);
}

/** A value as indented JSON that says the same and has nothing unseen: those are `\u` escapes. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(unseenButLineFeed, (char) =>
    char.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
