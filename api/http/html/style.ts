import { readFileSync } from 'node:fs';

const read = (name: string): string =>
  readFileSync(new URL(`../../../web/style/${name}`, import.meta.url), 'utf8');

const tokens = read('tokens.css');

/** What every page looks like, in light and in dark, in either direction. */
export const baseStyle = tokens + read('page.css');

/**
 * The light color of a token, for what no style sheet reaches.
 * @throws where no token has this name
 */
export function tokenColor(name: string): string {
  const color = new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(tokens)?.[1];
  if (color === undefined) throw new Error(`web/style/tokens.css has no color ${name}`);
  return color;
}
