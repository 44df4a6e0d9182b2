import { readFileSync } from 'node:fs';

/** Hostile strings, grouped by what is wrong with them. */
type List = Readonly<Record<string, readonly string[]>>;

const read = (name: string): List =>
  JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as List;
const all = (list: List): string[] => Object.values(list).flat();

/** URLs to which the platform must neither redirect nor send a request. */
export const hostileUrls: readonly string[] = all(read('urls.json'));

/** Path segments as sent: percent-encoded, or wrongly encoded. */
export const hostilePaths: readonly string[] = [
  ...all(read('paths.json')),
  ...['a', '%2e%2e%2f', '..;%2f', '%c0%ae', '%252e'].map((piece) => piece.repeat(600)),
];

/** Texts that are markup if a page or an image does not escape them. */
export const hostileMarkup: readonly string[] = all(read('markup.json'));

/** Number of strings tested concurrently. */
export const atOnce = 12;
