import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dialect } from '../dialect.ts';
import { figuresOf } from './sentences.ts';

const root = new URL('../../..', import.meta.url).pathname;
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
].map((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, text, isGenerated: text.startsWith('<!-- generated') };
});
const written = pages.filter(({ isGenerated }) => !isGenerated);

describe('the documents', () => {
  it('have at most 24,000 words in all, and 2,500 on a page', () => {
    const counts = written.map(({ path, text }) => ({ path, words: figuresOf(text).words }));
    expect(counts.filter(({ words }) => words > 2_500)).toEqual([]);
    expect(counts.reduce((sum, { words }) => sum + words, 0)).toBeLessThanOrEqual(24_000);
  });

  it('have sentences of at most 20 words on average, and none over 40', () => {
    const sentences = pages.flatMap(({ path, text }) =>
      figuresOf(text).sentences.map((sentence) => ({ path, ...sentence })),
    );
    expect(sentences.length).toBeGreaterThan(1_000);
    expect(sentences.filter(({ words }) => words > 40)).toEqual([]);
    const means = Map.groupBy(sentences, ({ path }) => path);
    for (const [path, found] of means) {
      const mean = found.reduce((sum, { words }) => sum + words, 0) / found.length;
      expect(mean, path).toBeLessThanOrEqual(20);
    }
  });

  it.each(dialect)('have no %s', (phrase) => {
    const found = pages.flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => {
        const words = line.replaceAll(/`[^`]+`/g, '');
        return phrase.test(words) ? [`${path}:${index + 1} ${line.slice(0, 120)}`] : [];
      }),
    );
    expect(found).toEqual([]);
  });
});

describe('figuresOf', () => {
  it('counts sentences of paragraphs, items and cells, and no code', () => {
    const page =
      '# Title\n\nOne `two three` four. Five six\nseven eight.\n\n- nine ten eleven\n\n' +
      '```\nnot counted at all\n```\n\n| a | twelve thirteen fourteen |\n';
    const { words, sentences } = figuresOf(page);
    expect(sentences.map((sentence) => sentence.words)).toEqual([3, 4, 3, 3]);
    expect(words).toBe(16);
  });
});
