import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Returns the names of all races, parsed from the source, because loading them needs a test run.
 */
export function raceNames(): string[] {
  return ['http', 'store'].flatMap((layer) => {
    const folder = fileURLToPath(new URL(`${layer}/`, import.meta.url));
    return readdirSync(folder)
      .filter((name) => !name.endsWith('.test.ts'))
      .flatMap((name) => {
        const text = readFileSync(`${folder}${name}`, 'utf8');
        return Array.from(text.matchAll(/^ {2,4}name: '([\w-]+)',\n +rule:/gm), ([, one]) => one);
      })
      .filter((one) => one !== undefined);
  });
}
