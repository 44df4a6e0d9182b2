import { readFileSync } from 'node:fs';
import { builtPages } from '../http/html/built.ts';

/** Scripts that are served without a build. */
const written = new Map([
  ['email.js', readFileSync(new URL('../../web/email.js', import.meta.url))],
]);

export interface Asset {
  readonly content: Buffer;
  /** Whether its name changes with its content. */
  readonly isHashed: boolean;
}

/** Returns a script of the service's pages by its name; null if unknown. */
export function assetOf(name: string): Asset | null {
  const plain = written.get(name);
  if (plain) return { content: plain, isHashed: false };
  const content = builtPages().files.get(name);
  return content ? { content, isHashed: true } : null;
}
