import { readFileSync } from 'node:fs';

/** Hostile words by what is wrong with them. */
type List = Readonly<Record<string, readonly string[]>>;

const read = (name: string): List =>
  JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as List;
const all = (list: List): string[] => Object.values(list).flat();

/** Addresses that nobody is led to and that nobody is called at. */
export const hostileUrls: readonly string[] = all(read('urls.json'));

/** Names in a path as they are sent: percent-encoded, or not as they should be. */
export const hostilePaths: readonly string[] = [
  ...all(read('paths.json')),
  ...['a', '%2e%2e%2f', '..;%2f', '%c0%ae', '%252e'].map((piece) => piece.repeat(600)),
];

/** Texts that would be markup, in a page or an image that did not take them for text. */
export const hostileMarkup: readonly string[] = all(read('markup.json'));

/** Whatever is not checked one by one is checked a few at a time. */
export const atOnce = 12;
