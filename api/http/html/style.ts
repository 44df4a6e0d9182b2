import { readFileSync } from 'node:fs';

const read = (name: string): string =>
  readFileSync(new URL(`../../../web/style/${name}`, import.meta.url), 'utf8');

const tokens = read('tokens.css');

/** Style of every page, for light and dark mode and for both text directions. */
export const baseStyle = tokens + read('page.css');

/**
 * Returns the light color of a token, for places that no style sheet reaches.
 * @throws Error for an unknown token
 */
export function tokenColor(name: string): string {
  const color = new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(tokens)?.[1];
  if (color === undefined) throw new Error(`web/style/tokens.css has no color ${name}`);
  return color;
}
