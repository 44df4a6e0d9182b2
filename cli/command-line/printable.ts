import { codePoint } from '../../domain/pdf/layout/text-sanitizer.ts';

/** Characters that control a terminal or are invisible: control, format, direction, filling. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const unseenButLineFeed = new RegExp(`(?!\n)${unseen.source}`, 'gu');
/** Invisible parts of an emoji (UTS 51 §1.4.9). */
const emojiParts = new RegExp(
  [
    String.raw`(?<=[\p{ExtPict}\p{EMod}\ufe0f])\u200d(?=\p{ExtPict})`,
    String.raw`(?<=\u{1f3f4})[\u{e0061}-\u{e007a}]{1,6}\u{e007f}`,
  ].join('|'),
  'gu',
);
/** A variation selector (Unicode §23.4) after a visible character. */
const selector =
  /(?<=[^\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;
const lengthMax = 1000;

/**
 * Formats untrusted text as one line for a terminal. Replaces invisible and control characters by
 * their code point, `[U+202E]`. Removes the invisible parts of an emoji and variation selectors.
 * Cuts the text after 1,000 characters.
 */
export function printable(text: string): string {
  const cut = text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
  return cut.replaceAll(emojiParts, '').replaceAll(selector, '').replaceAll(unseen, codePoint);
}

/** Returns equivalent indented JSON with `\u` escapes for all invisible characters. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(unseenButLineFeed, (char) =>
    char.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
