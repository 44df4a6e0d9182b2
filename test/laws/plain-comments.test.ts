import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dialect } from './dialect.ts';

const root = new URL('../../', import.meta.url).pathname;
const folders = ['activities', 'api', 'cli', 'client', 'db', 'domain', 'simulator'];
const files = [...folders, 'examples', 'test', 'web', 'workers', 'workflows'].flatMap((folder) =>
  globSync(`${folder}/**/*.{ts,tsx}`, {
    cwd: root,
    exclude: ['**/node_modules/**', 'web/dist/**'],
  }),
);

interface Line {
  readonly place: string;
  readonly text: string;
}

/** Comments, and titles of tests, without names in backticks and quotations. */
function proseOf(path: string): Line[] {
  let isBlock = false;
  return readFileSync(`${root}${path}`, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const isComment = isBlock || /^\s*(?:\/\*|\*|\/\/)|\s\/\/ /.test(line);
      const isTitle = /^\s*(?:it|test|describe)\b[^'`]*\(['`]/.test(line);
      if (line.includes('/*') && !line.includes('*/')) isBlock = true;
      if (line.includes('*/')) isBlock = false;
      const text = line.replaceAll(/`[^`]*`|"[^"]*"|“[^”]*”/g, '');
      return isComment || isTitle ? [{ place: `${path}:${index + 1}`, text }] : [];
    });
}

describe('comments and titles of tests', () => {
  const prose = files.flatMap(proseOf);

  it('are found in every folder', () => {
    expect(files.length).toBeGreaterThan(2_000);
    expect(prose.length).toBeGreaterThan(10_000);
  });

  it.each(dialect)('have no %s', (phrase) => {
    const found = prose.filter(({ text }) => phrase.test(text));
    expect(found.map(({ place, text }) => `${place} ${text.trim().slice(0, 120)}`)).toEqual([]);
  });
});
