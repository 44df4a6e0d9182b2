import { readFileSync } from 'node:fs';

/** The scripts of our pages, each with where it comes from. */
const sources = {
  'begin.js': '../../web/begin.js',
  'check.js': '../../web/check.js',
  'email.js': '../../web/email.js',
  'follow.js': '../../web/follow.js',
  'qr.js': '../../node_modules/uqr/dist/index.mjs',
  'socket.js': '../../node_modules/socket.io-client/dist/socket.io.esm.min.js',
  'words.js': '../../web/words.js',
} as const;

export type AssetName = keyof typeof sources;
export const assetNames = Object.keys(sources) as AssetName[];

const texts = new Map(
  assetNames.map((name) => [name, readFileSync(new URL(sources[name], import.meta.url), 'utf8')]),
);

/** The text of a script, read once at the start. */
export function assetOf(name: AssetName): string {
  return texts.get(name) ?? '';
}
