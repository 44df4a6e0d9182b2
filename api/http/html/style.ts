import { readFileSync } from 'node:fs';

const read = (name: string): string =>
  readFileSync(new URL(`../../../web/style/${name}`, import.meta.url), 'utf8');

/** What every page looks like, in light and in dark, in either direction. */
export const baseStyle = read('tokens.css') + read('page.css');
