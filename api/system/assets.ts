import { readFileSync } from 'node:fs';
import { builtPages } from '../http/html/built.ts';

/** Scripts that are served as they are written. */
const written = new Map([
  ['email.js', readFileSync(new URL('../../web/email.js', import.meta.url))],
]);

export interface Asset {
  readonly content: Buffer;
  /** Whether its name changes with its content. */
  readonly isHashed: boolean;
}

/** A script of our pages by its name; null where there is none. */
export function assetOf(name: string): Asset | null {
  const plain = written.get(name);
  if (plain) return { content: plain, isHashed: false };
  const content = builtPages().files.get(name);
  return content ? { content, isHashed: true } : null;
}
