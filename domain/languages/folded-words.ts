/**
 * Returns the words of a text, in order: runs of letters and digits, in lower case, without marks
 * (`José` is `jose`) and without compatibility forms (Unicode NFKD).
 */
export function foldedWords(text: string): string[] {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
