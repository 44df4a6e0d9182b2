import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** The only module that provides a test with the address of the shared platform. */
const platformModule = join(root, 'test/support/platform/own-platform.ts');
const importedPath = /(?:from|import|import\()\s*'(\.[^']+\.ts)'/g;

/**
 * Returns the test files that import `own-platform.ts` neither directly nor indirectly. They run
 * without the shared platform, which takes half a minute to start. Paths are relative to the
 * project's root.
 */
export function filesWithoutPlatform(): string[] {
  const files = globSync('test/**/*.test.ts', { cwd: root });
  const importsOf = new Map<string, readonly string[]>();
  return files.filter((file) => !reachesPlatform(join(root, file), importsOf));
}

function reachesPlatform(file: string, importsOf: Map<string, readonly string[]>): boolean {
  const seen = new Set<string>();
  const waiting = [file];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (path === platformModule) return true;
    if (seen.has(path)) continue;
    seen.add(path);
    const imports = importsOf.get(path) ?? readImports(path);
    importsOf.set(path, imports);
    waiting.push(...imports);
  }
  return false;
}

function readImports(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(importedPath)].map(([, target = '']) => resolve(dirname(path), target));
}
