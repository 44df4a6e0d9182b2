import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url).pathname;
const folders = ['activities', 'api', 'cli', 'client', 'db', 'domain', 'simulator'];
const files = [...folders, 'examples', 'test', 'web', 'workers', 'workflows'].flatMap((folder) =>
  globSync(`${folder}/**/*.{ts,tsx}`, {
    cwd: root,
    exclude: ['**/node_modules/**', 'web/dist/**', 'test/laws/plain-*.ts', 'test/laws/docs/**'],
  }),
);

/** Phrases for which the field has a term, and riddles that a reader has to read twice. */
const dialect: readonly RegExp[] = [
  /\bwhoever\b/i,
  /\bnobody\b/i,
  /\bsomebody\b/i,
  /\bnone but\b/i,
  /\b(?:is|are|was|were|be|been) told\b/i,
  /\b(?:is|are|was|were) away\b/i,
  /\bhanded in\b/i,
  /\bheld against\b/i,
  /\bso many\b/i,
  /\bworth nothing\b/i,
  /\bcounts at once\b/i,
  /\bof before\b/i,
  /\bas of old\b/i,
];

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
